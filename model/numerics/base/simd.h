// SPDX-License-Identifier: Apache-2.0
// Vector instruction sets of the fast paths. Every level gives the same bits.
#pragma once

#include <cstdint>

namespace mxe {

enum class SimdLevel : uint8_t {
  portable,  ///< the compiler's baseline
  avx2,      ///< AVX2, FMA and F16C
  avx512,    ///< AVX-512 F, BW, DQ, VL and VNNI
};

SimdLevel best_simd_level();

/// Returns true if this processor supports a level; others cause an illegal instruction.
bool runs_simd_level(SimdLevel level);

const char* simd_level_name(SimdLevel level);

}  // namespace mxe
