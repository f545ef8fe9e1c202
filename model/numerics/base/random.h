// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe {

/// Output function of splitmix64: an invertible mix of all 64 bits.
inline uint64_t mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Seeded generator with equal sequences on all platforms, unlike standard distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix64(seed)) {}

  uint64_t next() { return mix64(state_++); }
  uint64_t uniform(uint64_t low, uint64_t high) {
    const uint64_t span = high - low + 1;
    return span == 0 ? next() : low + next() % span;
  }
  bool one_in(unsigned n) { return next() % n == 0; }
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace mxe
