// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mxe::numerics {

struct AscendProblem {
  std::size_t m = 0, n = 0, k = 0;
  bool trans_a = false;  ///< A is stored as [K][M]
  bool trans_b = false;  ///< B is stored as [N][K]
};

struct AscendFiles {
  std::vector<uint8_t> a_8;  ///< a_8.bin: codes of A; two per byte in 4-bit formats
  std::vector<uint8_t> b_8;
  std::vector<uint8_t> a_scale;  ///< a_scale.bin: E8M0 in pairs along K
  std::vector<uint8_t> b_scale;
  std::vector<uint8_t> expected_data;  ///< expected_data.bin: float32 [M][N]
};

/// Operand files of the Ascend (CANN) MX matmul samples, byte for byte. Quantizes a [M][K] and b
/// [K][N] along K with preset `ascend`; transpositions affect the files only. Throws Error unless
/// `format` is mxfp4_e2m1, mxfp4_e1m2, mxfp8_e4m3 or mxfp8_e5m2.
AscendFiles ascend_files(const float* a, const float* b, const AscendProblem& problem,
                         std::string_view format);

}  // namespace mxe::numerics
