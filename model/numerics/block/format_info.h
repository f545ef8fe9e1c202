// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxe::numerics {

struct FormatInfo {
  std::string name;
  int bits;
  int exponent_bits;  ///< 0 for integers
  int mantissa_bits;
  double max;
  double min_normal;  ///< smallest normal element; integers: the step
  double min_subnormal;
  std::string specials;  ///< "none", "NaN", "Inf, NaN"
  int block_size;
  std::string scale;        ///< scale format: e8m0, e4m3
  double bits_per_element;  ///< including the scale: 4 + 8 / 32 = 4.25 for MXFP4
  double compression_fp32;  ///< 32 / bits_per_element
  double compression_fp16;  ///< 16 / bits_per_element
};

/// Properties of any format name of make_quantizer, with its default block size and scale format.
/// Excludes NVFP4's float32 scale per tensor.
FormatInfo format_info(std::string_view name);

/// The engine's formats and nvfp4.
std::vector<FormatInfo> all_format_infos();

}  // namespace mxe::numerics
