// AVX-512 kernels with VNNI: sixteen columns a group.
#include "numerics/gemm_kernels.h"

#if defined(__x86_64__)

#ifndef MX_EMULATE_AVX512  // the emulated build of the tests brings its own intrinsics
#include <immintrin.h>
#define MX_VECTOR __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#else
#define MX_VECTOR
#endif

namespace mx {
namespace {

struct Vec {
  static constexpr size_t kLanes = 16;
  static constexpr bool kKeepsAccumulators = true;
  static constexpr bool kWidensAtOnce = true;  // VNNI adds products to 32 bits
  using Int = __m512i;                         // 16 x int32, or bytes and words of as many columns
  using Float = __m512;
  struct Narrow {};
  struct Wide {
    __m512d low, high;  // columns 0-7, 8-15
  };

  MX_VECTOR static inline Int zero() { return _mm512_setzero_si512(); }

  MX_VECTOR static inline Int load(const void* from) { return _mm512_loadu_si512(from); }
  MX_VECTOR static inline Float load_floats(const float* from) { return _mm512_loadu_ps(from); }
  MX_VECTOR static inline void store_floats(float* to, Float x) { _mm512_storeu_ps(to, x); }
  MX_VECTOR static inline Int broadcast4(const void* from) {
    int32_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return _mm512_set1_epi32(value);
  }

  MX_VECTOR static inline void multiply_bytes(Int a, Int b, bool, Narrow*, Int* sum) {
    *sum = _mm512_dpbusd_epi32(*sum, a, b);
  }
  MX_VECTOR static inline void widen(Narrow, Int*) {}
  MX_VECTOR static inline void multiply_words(Int a, Int b, Int* sum) {
    *sum = _mm512_dpwssd_epi32(*sum, a, b);
  }

  MX_VECTOR static inline Float add_scaled(Int sum, int32_t scale, const int32_t* scales,
                                           Float acc) {
    const Int weight = _mm512_add_epi32(_mm512_set1_epi32(scale), load(scales));
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), _mm512_castsi512_ps(weight), acc);
  }

  MX_VECTOR static inline void add_weighted(Int sum, double weight, Wide* wide) {
    const __m512d w = _mm512_set1_pd(weight);
    const __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(sum));
    const __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(sum, 1));
    wide->low = _mm512_fmadd_pd(low, w, wide->low);
    wide->high = _mm512_fmadd_pd(high, w, wide->high);
  }

  // x + y rounded to odd: inexact results get a set last bit, so that rounding them again to
  // float32 gives what a single rounding would.
  MX_VECTOR static inline __m512d add_odd(__m512d x, __m512d y) {
    const __m512d sum = _mm512_add_pd(x, y);
    const __m512d part = _mm512_sub_pd(sum, x);
    const __m512d error =
        _mm512_add_pd(_mm512_sub_pd(x, _mm512_sub_pd(sum, part)), _mm512_sub_pd(y, part));
    const __m512i bits = _mm512_castpd_si512(sum);
    const __mmask8 inexact = _mm512_cmp_pd_mask(error, _mm512_setzero_pd(), _CMP_NEQ_OQ);
    const __mmask8 even = _mm512_testn_epi64_mask(bits, _mm512_set1_epi64(1));
    // Even results move by one toward the exact value: +1 if the error has the sum's sign, else -1.
    const __m512i signs = _mm512_xor_si512(bits, _mm512_castpd_si512(error));
    const __m512i step = _mm512_or_si512(_mm512_srai_epi64(signs, 63), _mm512_set1_epi64(1));
    const __mmask8 change = static_cast<__mmask8>(inexact & even);
    return _mm512_castsi512_pd(_mm512_mask_add_epi64(bits, change, bits, step));
  }

  // Lanes of a float64 that lie in the middle between two float32.
  MX_VECTOR static inline __mmask8 middles(__m512d x) {
    const __m512i low_bits = _mm512_set1_epi64((int64_t{1} << 29) - 1);
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(_mm512_castpd_si512(x), low_bits),
                                   _mm512_set1_epi64(int64_t{1} << 28));
  }

  // RNE_fp32(acc + x * weight). Rounding to float64 first does no harm but in the middle between
  // two float32 (and below float32's normal range, where the sum is exact: gemm_pack.cpp).
  MX_VECTOR static inline __m256 add_half(__m512d x, __m512i weight, __m256 acc) {
    const __m512d from = _mm512_cvtps_pd(acc);
    const __m512d scale = _mm512_castsi512_pd(weight);
    __m512d sum = _mm512_fmadd_pd(x, scale, from);
    if (middles(sum) != 0) sum = add_odd(from, _mm512_mul_pd(x, scale));
    return _mm512_cvtpd_ps(sum);
  }

  MX_VECTOR static inline void add_wide(const Wide& wide, int64_t scale, const int64_t* scales,
                                        float* acc) {
    const __m512i weight = _mm512_set1_epi64(scale);
    const __m512i low = _mm512_add_epi64(weight, load(scales));
    const __m512i high = _mm512_add_epi64(weight, load(scales + 8));
    _mm256_storeu_ps(acc, add_half(wide.low, low, _mm256_loadu_ps(acc)));
    _mm256_storeu_ps(acc + 8, add_half(wide.high, high, _mm256_loadu_ps(acc + 8)));
  }
};

}  // namespace
}  // namespace mx

#include "numerics/gemm_kernels.inc"

namespace mx {
GemmKernels gemm_kernels_avx512() { return make_kernels(SimdLevel::avx512); }
}  // namespace mx

#else

namespace mx {
GemmKernels gemm_kernels_avx512() { return {}; }
}  // namespace mx

#endif
