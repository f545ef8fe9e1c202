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
  double bits_per_element;  ///< 4 + 8 / 32 = 4.25 for MXFP4
  double compression_fp32;
  double compression_fp16;
};

/// `name`: as in make_quantizer, with its defaults. Excludes NVFP4's float32 scale per tensor.
FormatInfo format_info(std::string_view name);

/// The engine's formats and nvfp4.
std::vector<FormatInfo> all_format_infos();

}  // namespace mxe::numerics
