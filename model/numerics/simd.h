// SPDX-License-Identifier: Apache-2.0
// Which vector instructions the fast paths use. Every level gives the same bits.
#pragma once

#include <cstdint>

namespace mx {

enum class SimdLevel : uint8_t {
  portable,  ///< whatever the compiler's baseline offers
  avx2,      ///< AVX2, FMA and F16C
  avx512,    ///< AVX-512 F, BW, DQ, VL and VNNI
};

/// The best level this processor runs.
SimdLevel best_simd_level();

/// Whether this processor runs a level; asking a fast path for one it does not is an illegal
/// instruction, so tests ask first.
bool runs_simd_level(SimdLevel level);

const char* simd_level_name(SimdLevel level);

}  // namespace mx
