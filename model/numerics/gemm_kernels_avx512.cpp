// SPDX-License-Identifier: Apache-2.0
// AVX-512 kernels with VNNI: sixteen columns per group.
#include "model/numerics/gemm_kernels.h"

#if defined(__x86_64__)

#ifdef MX_EMULATE_AVX512  // the tests compile this file with emulated intrinsics
#define MX_VECTOR
#define MX_KERNEL_TABLE gemm_kernels_avx512_emulated
#else
#include <immintrin.h>
#define MX_VECTOR __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define MX_KERNEL_TABLE gemm_kernels_avx512
#endif

namespace mx {
namespace {

struct Vec {
  static constexpr std::size_t kLanes = 16;
  static constexpr bool kWidensAtOnce = true;  // VNNI adds products to 32 bits
  using Int = __m512i;                         // 16 columns of int32, 2 x int16 or 4 x int8
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

  MX_VECTOR static inline void correct(const int32_t* from, Narrow&, Int& sum) { sum = load(from); }
  MX_VECTOR static inline void correct_more(const int32_t*, Narrow&) {}
  MX_VECTOR static inline void multiply_bytes(Int a, Int b, Narrow&, Int& sum) {
    sum = _mm512_dpbusd_epi32(sum, a, b);
  }
  MX_VECTOR static inline void widen(Narrow, bool, Int&) {}
  MX_VECTOR static inline void multiply_words(Int a, Int b, Int& sum) {
    sum = _mm512_dpwssd_epi32(sum, a, b);
  }

  MX_VECTOR static inline Float add_scaled(Int sum, int32_t scale, const int32_t* scales,
                                           Float acc) {
    const Int weight = _mm512_add_epi32(_mm512_set1_epi32(scale), load(scales));
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), _mm512_castsi512_ps(weight), acc);
  }

  MX_VECTOR static inline Wide to_wide(Int sum) {
    return {_mm512_cvtepi32_pd(_mm512_castsi512_si256(sum)),
            _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(sum, 1))};
  }
  MX_VECTOR static inline Wide load_wide(const double* from) {
    return {_mm512_loadu_pd(from), _mm512_loadu_pd(from + 8)};
  }
  MX_VECTOR static inline Wide plus(const Wide& x, const Wide& y) {
    return {_mm512_add_pd(x.low, y.low), _mm512_add_pd(x.high, y.high)};
  }

  // RNE_fp32(acc + x * weight) through float64 rounded to odd: of the two neighbours of an inexact
  // result, the one with its lsb set. A second rounding to float32 then equals a single rounding.
  MX_VECTOR static inline __m256 add_half(__m512d x, __m512i weight, __m256 acc) {
    const __m512d from = _mm512_cvtps_pd(acc);
    const __m512d scale = _mm512_castsi512_pd(weight);
    const __m512d up =
        _mm512_fmadd_round_pd(x, scale, from, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    const __m512d down =
        _mm512_fmadd_round_pd(x, scale, from, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __mmask8 up_is_even =
        _mm512_testn_epi64_mask(_mm512_castpd_si512(up), _mm512_set1_epi64(1));
    const __mmask8 change = _mm512_mask_cmp_pd_mask(up_is_even, up, down, _CMP_NEQ_OQ);
    return _mm512_cvtpd_ps(_mm512_mask_mov_pd(up, change, down));
  }

  struct Doubt {};  // try_add_wide is always exact
  MX_VECTOR static inline Doubt no_doubt() { return {}; }
  MX_VECTOR static inline bool any(Doubt) { return false; }
  struct Floats {
    __m256 low, high;
  };
  MX_VECTOR static inline Floats try_add_wide(const Wide& wide, int64_t scale,
                                              const int64_t* scales, const float* acc, Doubt&) {
    const __m512i weight = _mm512_set1_epi64(scale);
    const __m512i low = _mm512_add_epi64(weight, load(scales));
    const __m512i high = _mm512_add_epi64(weight, load(scales + 8));
    return {add_half(wide.low, low, _mm256_loadu_ps(acc)),
            add_half(wide.high, high, _mm256_loadu_ps(acc + 8))};
  }
  MX_VECTOR static inline void add_wide(const Wide& wide, int64_t scale, const int64_t* scales,
                                        float* acc) {
    Doubt none;
    store_halves(acc, try_add_wide(wide, scale, scales, acc, none));
  }
  MX_VECTOR static inline void store_halves(float* to, const Floats& x) {
    _mm256_storeu_ps(to, x.low);
    _mm256_storeu_ps(to + 8, x.high);
  }
};

}  // namespace
}  // namespace mx

#include "model/numerics/gemm_kernels.inc"

namespace mx {
GemmKernels MX_KERNEL_TABLE() { return make_kernels(); }
}  // namespace mx

#else

namespace mx {
GemmKernels gemm_kernels_avx512() { return {}; }
}  // namespace mx

#endif
