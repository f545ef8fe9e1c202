// SPDX-License-Identifier: Apache-2.0
// What a format costs and covers, for tables people read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mx {

struct FormatInfo {
  std::string name;
  int bits;           ///< of an element
  int exponent_bits;  ///< 0 for integers
  int mantissa_bits;
  double max;               ///< largest finite element
  double min_normal;        ///< smallest normal element; integers: the step
  double min_subnormal;     ///< smallest positive element
  std::string specials;     ///< "none", "NaN", "Inf, NaN"
  int block_size;           ///< elements that share a scale
  std::string scale;        ///< scale format: e8m0, e4m3
  double bits_per_element;  ///< with the block's share of its scale
  double compression_fp32;  ///< 32 / bits_per_element
  double compression_fp16;  ///< 16 / bits_per_element
};

/// Facts of any format name that make_quantizer takes, under its default block size and scale
/// format (NVFP4's one float32 a tensor is not counted).
FormatInfo format_info(std::string_view name);

/// The formats with a name of their own: the engine's and nvfp4.
std::vector<FormatInfo> all_format_infos();

}  // namespace mx
