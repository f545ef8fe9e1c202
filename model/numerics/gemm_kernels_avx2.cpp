// SPDX-License-Identifier: Apache-2.0
// AVX2 kernels: eight columns per group.
#include "model/numerics/gemm_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define MX_VECTOR __attribute__((target("avx2,fma")))

namespace mx {
namespace {

struct Vec {
  static constexpr std::size_t kLanes = 8;
  static constexpr bool kWidensAtOnce = false;
  using Int = __m256i;  // 8 columns of int32, 2 x int16 or 4 x int8
  using Float = __m256;
  using Narrow = __m256i;  // 16 x int16: two partial sums per column
  struct Wide {
    __m256d low, high;  // columns 0-3, 4-7
  };

  MX_VECTOR static inline Int zero() { return _mm256_setzero_si256(); }

  MX_VECTOR static inline Int load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  MX_VECTOR static inline Float load_floats(const float* from) { return _mm256_loadu_ps(from); }
  MX_VECTOR static inline void store_floats(float* to, Float x) { _mm256_storeu_ps(to, x); }
  MX_VECTOR static inline Int broadcast4(const void* from) {
    int32_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return _mm256_set1_epi32(value);
  }

  // Stops compilers from turning a chain of additions into a tree, which needs too many registers.
  MX_VECTOR static inline __m256i in_order(__m256i value) {
    __asm__("" : "+x"(value));
    return value;
  }

  MX_VECTOR static inline void correct(const int32_t* from, Narrow& narrow, Int&) {
    narrow = load(from);
  }
  MX_VECTOR static inline void correct_more(const int32_t* from, Narrow& narrow) {
    narrow = _mm256_add_epi16(narrow, load(from));
  }
  MX_VECTOR static inline void multiply_bytes(Int a, Int b, Narrow& narrow, Int&) {
    narrow = in_order(_mm256_add_epi16(narrow, _mm256_maddubs_epi16(a, b)));
  }
  MX_VECTOR static inline void widen(Narrow narrow, bool first, Int& sum) {
    const __m256i wide = _mm256_madd_epi16(narrow, _mm256_set1_epi16(1));
    sum = first ? wide : _mm256_add_epi32(sum, wide);
  }
  MX_VECTOR static inline void multiply_words(Int a, Int b, Int& sum) {
    sum = in_order(_mm256_add_epi32(sum, _mm256_madd_epi16(a, b)));
  }

  MX_VECTOR static inline Float add_scaled(Int sum, int32_t scale, const int32_t* scales,
                                           Float acc) {
    const Int weight = _mm256_add_epi32(_mm256_set1_epi32(scale), load(scales));
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), _mm256_castsi256_ps(weight), acc);
  }

  MX_VECTOR static inline Wide to_wide(Int sum) {
    return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)),
            _mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1))};
  }
  MX_VECTOR static inline Wide load_wide(const double* from) {
    return {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
  }
  MX_VECTOR static inline Wide plus(const Wide& x, const Wide& y) {
    return {_mm256_add_pd(x.low, y.low), _mm256_add_pd(x.high, y.high)};
  }

  // Collects, per lane, the exponent differences of try_add_half; values above 31 mean that the sum
  // may not be exact in float64.
  using Doubt = __m256i;
  MX_VECTOR static inline Doubt no_doubt() { return _mm256_setzero_si256(); }
  MX_VECTOR static inline bool any(Doubt doubt) {
    return _mm256_testz_si256(doubt, _mm256_set1_epi64x(0x7E00000000000000)) == 0;
  }

  // RNE_fp32(acc + x * weight) through float64. The float64 sum is exact if 2^3 weight <= |acc| <
  // 2^35 weight: its bits then lie between 2^-16 weight and 2^37 weight or, if the lsb of acc is
  // smaller, between that and 2^29 |acc|. In this range, exponent(acc) - exponent(weight) - 3 is 0
  // to 31.
  MX_VECTOR static inline __m128 try_add_half(__m256d x, __m256i weight, __m128 acc, Doubt& doubt) {
    const __m256d from = _mm256_cvtps_pd(acc);
    const __m256i least = _mm256_add_epi64(weight, _mm256_set1_epi64x(int64_t{3} << 52));
    doubt = _mm256_or_si256(doubt, _mm256_sub_epi64(_mm256_castpd_si256(from), least));
    return _mm256_cvtpd_ps(_mm256_fmadd_pd(x, _mm256_castsi256_pd(weight), from));
  }
  struct Floats {
    __m128 low, high;
  };
  MX_VECTOR static inline Floats try_add_wide(const Wide& wide, int64_t scale,
                                              const int64_t* scales, const float* acc,
                                              Doubt& doubt) {
    const __m256i weight = _mm256_set1_epi64x(scale);
    const __m256i low = _mm256_add_epi64(weight, load(scales));
    const __m256i high = _mm256_add_epi64(weight, load(scales + 4));
    return {try_add_half(wide.low, low, _mm_loadu_ps(acc), doubt),
            try_add_half(wide.high, high, _mm_loadu_ps(acc + 4), doubt)};
  }
  MX_VECTOR static inline void store_halves(float* to, const Floats& x) {
    _mm_storeu_ps(to, x.low);
    _mm_storeu_ps(to + 4, x.high);
  }

  // x + y rounded to odd (inexact: lsb set), so that a second rounding equals a single one.
  MX_VECTOR static inline __m256d add_odd(__m256d x, __m256d y) {
    const __m256d sum = _mm256_add_pd(x, y);
    // Fast path: most sums are exact; then sum - x == y and sum - y == x. For an inexact sum,
    // subtracting the larger operand is exact and leaves the smaller one plus the error, so one
    // comparison fails. Non-finite values also take the slow path.
    const __m256d differs = _mm256_or_pd(_mm256_cmp_pd(_mm256_sub_pd(sum, x), y, _CMP_NEQ_UQ),
                                         _mm256_cmp_pd(_mm256_sub_pd(sum, y), x, _CMP_NEQ_UQ));
    if (_mm256_testz_pd(differs, differs)) return sum;
    const __m256d part = _mm256_sub_pd(sum, x);
    const __m256d error =
        _mm256_add_pd(_mm256_sub_pd(x, _mm256_sub_pd(sum, part)), _mm256_sub_pd(y, part));
    const __m256i bits = _mm256_castpd_si256(sum);
    const __m256i inexact =
        _mm256_castpd_si256(_mm256_cmp_pd(error, _mm256_setzero_pd(), _CMP_NEQ_OQ));
    // An even result moves toward the exact value: +1 if the error has the sum's sign, else -1.
    const __m256i even =
        _mm256_sub_epi64(_mm256_and_si256(bits, _mm256_set1_epi64x(1)), _mm256_set1_epi64x(1));
    const __m256i step = _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(_mm256_set1_epi64x(1)),
                         _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), _mm256_xor_pd(sum, error)));
    const __m256i change = _mm256_and_si256(step, _mm256_and_si256(inexact, even));
    return _mm256_castsi256_pd(_mm256_add_epi64(bits, change));
  }

  MX_VECTOR static inline __m128 add_half(__m256d x, __m256i weight, __m128 acc) {
    const __m256d product = _mm256_mul_pd(x, _mm256_castsi256_pd(weight));
    return _mm256_cvtpd_ps(add_odd(_mm256_cvtps_pd(acc), product));
  }

  MX_VECTOR static inline void add_wide(const Wide& wide, int64_t scale, const int64_t* scales,
                                        float* acc) {
    const __m256i weight = _mm256_set1_epi64x(scale);
    const __m256i low = _mm256_add_epi64(weight, load(scales));
    const __m256i high = _mm256_add_epi64(weight, load(scales + 4));
    _mm_storeu_ps(acc, add_half(wide.low, low, _mm_loadu_ps(acc)));
    _mm_storeu_ps(acc + 4, add_half(wide.high, high, _mm_loadu_ps(acc + 4)));
  }
};

}  // namespace
}  // namespace mx

#include "model/numerics/gemm_kernels.inc"

namespace mx {
GemmKernels gemm_kernels_avx2() { return make_kernels(); }
}  // namespace mx

#else

namespace mx {
GemmKernels gemm_kernels_avx2() { return {}; }
}  // namespace mx

#endif
