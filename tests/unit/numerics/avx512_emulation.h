// SPDX-License-Identifier: Apache-2.0
// The AVX-512 intrinsics of the GEMM kernels in plain C++, from the instructions' definitions.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define __m512i EmulatedInts
#define __m512 EmulatedFloats
#define __m512d EmulatedDoubles
#define __m256i EmulatedHalfInts
#define __m256 EmulatedHalfFloats
#define __mmask8 uint8_t
#define _CMP_NEQ_OQ 12
#define _MM_FROUND_TO_POS_INF FE_UPWARD
#define _MM_FROUND_TO_NEG_INF FE_DOWNWARD
#define _MM_FROUND_NO_EXC 0

template <typename T, std::size_t N>
struct Emulated {
  T at[N];
};
using EmulatedInts = Emulated<int32_t, 16>;
using EmulatedHalfInts = Emulated<int32_t, 8>;
using EmulatedFloats = Emulated<float, 16>;
using EmulatedHalfFloats = Emulated<float, 8>;
using EmulatedDoubles = Emulated<double, 8>;

template <typename To, typename From>
To emulated_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "a cast keeps all bits");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <typename V, typename T>
V emulated_all(T value) {
  V v;
  for (auto& lane : v.at) lane = value;
  return v;
}

template <typename V>
V emulated_load(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <typename V, typename F>
V emulated_zip(const V& a, const V& b, F f) {
  V v;
  for (std::size_t i = 0; i < sizeof a.at / sizeof a.at[0]; i++) v.at[i] = f(a.at[i], b.at[i]);
  return v;
}

using EmulatedLongs = Emulated<int64_t, 8>;

inline EmulatedInts _mm512_setzero_si512() { return emulated_all<EmulatedInts>(0); }
inline EmulatedInts _mm512_set1_epi32(int32_t x) { return emulated_all<EmulatedInts>(x); }
inline EmulatedInts _mm512_set1_epi64(int64_t x) {
  return emulated_cast<EmulatedInts>(emulated_all<EmulatedLongs>(x));
}
inline EmulatedInts _mm512_loadu_si512(const void* p) { return emulated_load<EmulatedInts>(p); }
inline EmulatedFloats _mm512_loadu_ps(const void* p) { return emulated_load<EmulatedFloats>(p); }
inline EmulatedDoubles _mm512_loadu_pd(const void* p) { return emulated_load<EmulatedDoubles>(p); }
inline EmulatedHalfFloats _mm256_loadu_ps(const void* p) {
  return emulated_load<EmulatedHalfFloats>(p);
}
inline void _mm512_storeu_ps(void* p, EmulatedFloats v) { std::memcpy(p, &v, sizeof v); }
inline void _mm256_storeu_ps(void* p, EmulatedHalfFloats v) { std::memcpy(p, &v, sizeof v); }

// Sums of four products of unsigned and signed bytes, added to 32 bits without saturation.
inline EmulatedInts _mm512_dpbusd_epi32(EmulatedInts sum, EmulatedInts a, EmulatedInts b) {
  const auto x = emulated_cast<Emulated<uint8_t, 64>>(a);
  const auto y = emulated_cast<Emulated<int8_t, 64>>(b);
  for (std::size_t i = 0; i < 64; i++) sum.at[i / 4] += x.at[i] * y.at[i];
  return sum;
}
inline EmulatedInts _mm512_dpwssd_epi32(EmulatedInts sum, EmulatedInts a, EmulatedInts b) {
  const auto x = emulated_cast<Emulated<int16_t, 32>>(a);
  const auto y = emulated_cast<Emulated<int16_t, 32>>(b);
  for (std::size_t i = 0; i < 32; i++) sum.at[i / 2] += x.at[i] * y.at[i];
  return sum;
}

inline EmulatedInts _mm512_add_epi32(EmulatedInts a, EmulatedInts b) {
  return emulated_zip(a, b, [](int32_t x, int32_t y) { return x + y; });
}
inline EmulatedInts _mm512_add_epi64(EmulatedInts a, EmulatedInts b) {
  return emulated_cast<EmulatedInts>(emulated_zip(emulated_cast<EmulatedLongs>(a),
                                                  emulated_cast<EmulatedLongs>(b),
                                                  [](int64_t x, int64_t y) { return x + y; }));
}
inline EmulatedFloats _mm512_fmadd_ps(EmulatedFloats a, EmulatedFloats b, EmulatedFloats c) {
  for (std::size_t i = 0; i < 16; i++) c.at[i] = std::fma(a.at[i], b.at[i], c.at[i]);
  return c;
}
inline EmulatedFloats _mm512_setzero_ps() { return emulated_all<EmulatedFloats>(0.0f); }
inline EmulatedFloats _mm512_set1_ps(float x) { return emulated_all<EmulatedFloats>(x); }
inline EmulatedDoubles _mm512_set1_pd(double x) { return emulated_all<EmulatedDoubles>(x); }
inline EmulatedFloats _mm512_add_ps(EmulatedFloats a, EmulatedFloats b) {
  return emulated_zip(a, b, [](float x, float y) { return x + y; });
}
inline EmulatedInts _mm512_sub_epi32(EmulatedInts a, EmulatedInts b) {
  return emulated_zip(a, b, [](int32_t x, int32_t y) { return x - y; });
}
inline EmulatedDoubles _mm512_mul_pd(EmulatedDoubles a, EmulatedDoubles b) {
  return emulated_zip(a, b, [](double x, double y) { return x * y; });
}
inline EmulatedDoubles _mm512_fmadd_pd(EmulatedDoubles a, EmulatedDoubles b, EmulatedDoubles c) {
  for (std::size_t i = 0; i < 8; i++) c.at[i] = std::fma(a.at[i], b.at[i], c.at[i]);
  return c;
}
inline EmulatedDoubles _mm512_add_pd(EmulatedDoubles a, EmulatedDoubles b) {
  return emulated_zip(a, b, [](double x, double y) { return x + y; });
}
// Sets the rounding mode around the operations; `volatile` keeps the compiler from moving them.
inline EmulatedDoubles _mm512_fmadd_round_pd(EmulatedDoubles a, EmulatedDoubles b,
                                             EmulatedDoubles c, int rounding) {
  std::fesetround(rounding);
  for (std::size_t i = 0; i < 8; i++) {
    volatile double x = a.at[i];
    volatile double result = std::fma(x, b.at[i], c.at[i]);
    c.at[i] = result;
  }
  std::fesetround(FE_TONEAREST);
  return c;
}

inline EmulatedFloats _mm512_cvtepi32_ps(EmulatedInts a) {
  EmulatedFloats v;
  for (std::size_t i = 0; i < 16; i++) v.at[i] = static_cast<float>(a.at[i]);
  return v;
}
inline EmulatedDoubles _mm512_cvtepi32_pd(EmulatedHalfInts a) {
  EmulatedDoubles v;
  for (std::size_t i = 0; i < 8; i++) v.at[i] = a.at[i];
  return v;
}
inline EmulatedDoubles _mm512_cvtps_pd(EmulatedHalfFloats a) {
  EmulatedDoubles v;
  for (std::size_t i = 0; i < 8; i++) v.at[i] = static_cast<double>(a.at[i]);
  return v;
}
inline EmulatedHalfFloats _mm512_cvtpd_ps(EmulatedDoubles a) {
  EmulatedHalfFloats v;
  for (std::size_t i = 0; i < 8; i++) v.at[i] = static_cast<float>(a.at[i]);
  return v;
}
inline EmulatedHalfInts _mm512_extracti64x4_epi64(EmulatedInts a, int half) {
  return emulated_load<EmulatedHalfInts>(a.at + 8 * half);
}
inline EmulatedHalfInts _mm512_castsi512_si256(EmulatedInts a) {
  return _mm512_extracti64x4_epi64(a, 0);
}
inline EmulatedInts _mm512_castpd_si512(EmulatedDoubles a) {
  return emulated_cast<EmulatedInts>(a);
}
inline EmulatedDoubles _mm512_castsi512_pd(EmulatedInts a) {
  return emulated_cast<EmulatedDoubles>(a);
}

inline EmulatedFloats _mm512_castsi512_ps(EmulatedInts a) {
  return emulated_cast<EmulatedFloats>(a);
}
// Ordered "not equal": false if either is NaN.
inline uint8_t _mm512_mask_cmp_pd_mask(uint8_t among, EmulatedDoubles a, EmulatedDoubles b, int) {
  uint8_t mask = 0;
  for (std::size_t i = 0; i < 8; i++) {
    if (a.at[i] < b.at[i] || a.at[i] > b.at[i]) mask = static_cast<uint8_t>(mask | 1u << i);
  }
  return mask & among;
}
inline uint8_t _mm512_testn_epi64_mask(EmulatedInts a, EmulatedInts b) {
  const EmulatedLongs x = emulated_cast<EmulatedLongs>(a);
  const EmulatedLongs y = emulated_cast<EmulatedLongs>(b);
  uint8_t mask = 0;
  for (std::size_t i = 0; i < 8; i++) {
    if ((x.at[i] & y.at[i]) == 0) mask = static_cast<uint8_t>(mask | 1u << i);
  }
  return mask;
}
inline EmulatedDoubles _mm512_mask_mov_pd(EmulatedDoubles source, uint8_t mask, EmulatedDoubles a) {
  for (std::size_t i = 0; i < 8; i++) {
    if ((mask >> i & 1) != 0) source.at[i] = a.at[i];
  }
  return source;
}
