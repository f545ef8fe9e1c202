// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe {

/// The splitmix64 output function: an invertible mix of all 64 bits, the same on every machine.
inline uint64_t mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Small seeded generator for stimulus. The standard distributions differ between libraries; this
/// one gives the same sequence everywhere, so that a printed seed reproduces a failure.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix64(seed)) {}

  uint64_t next() { return mix64(state_++); }
  /// Uniform in [low, high], low <= high.
  uint64_t uniform(uint64_t low, uint64_t high) {
    const uint64_t span = high - low + 1;
    return span == 0 ? next() : low + next() % span;
  }
  /// True once in `n` on average.
  bool one_in(unsigned n) { return next() % n == 0; }
  /// Uniform in [0, 1).
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace mxe
