// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace mxe {

// GCC and Clang provide 128-bit integers on every 64-bit target; __extension__ silences -Wpedantic.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

inline uint32_t to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint64_t to_bits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline double from_bits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr int floor_log2(uint64_t n) { return 63 - __builtin_clzll(n); }
inline int floor_log2(UInt128 n) {
  const uint64_t high = static_cast<uint64_t>(n >> 64);
  return high != 0 ? 64 + floor_log2(high) : floor_log2(static_cast<uint64_t>(n));
}

/// 2^e, exact for -1022 <= e <= 1023.
inline double pow2(int e) { return from_bits(static_cast<uint64_t>(e + 1023) << 52); }

constexpr double power_of_two(int e) {
  double result = 1;
  for (; e > 0; e--) result *= 2;
  for (; e < 0; e++) result /= 2;
  return result;
}

/// A finite float32 number, +-significand * 2^exponent; subnormals included.
struct FloatParts {
  bool negative;
  uint32_t significand;  ///< < 2^24; 0 for a zero
  int exponent;          ///< -149 .. 104
};

inline FloatParts float_parts(uint32_t bits) {
  const uint32_t field = (bits >> 23) & 0xFF;
  const uint32_t fraction = bits & 0x7FFFFF;
  const bool negative = (bits >> 31) != 0;
  if (field == 0) return {negative, fraction, -149};
  return {negative, fraction | 0x800000, static_cast<int>(field) - 150};
}

inline bool is_finite_bits(uint32_t bits) { return (bits & 0x7F800000) != 0x7F800000; }
inline bool is_nan_bits(uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

constexpr uint32_t kQuietNan = 0x7FC00000;  ///< the only FP32 NaN that the engine writes
constexpr uint32_t kInfinity = 0x7F800000;

}  // namespace mxe
