// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {

struct QuantizationStats {
  std::size_t elements = 0;
  std::size_t blocks = 0;
  // These three use only elements that are finite before and after.
  double sqnr_db = 0;    ///< 10 log10(sum x^2 / sum (x - q)^2); Inf without error, NaN without data
  double max_error = 0;  ///< of |x - q|
  double mean_error = 0;       ///< of |x - q|
  std::size_t clipped = 0;     ///< finite inputs beyond the largest element times their scale
  std::size_t flushed = 0;     ///< nonzero inputs that became zero
  std::size_t nans = 0;        ///< NaN among the dequantized values
  std::size_t nan_scales = 0;  ///< blocks with a NaN or Inf scale
  double bits_per_element = 0;
  std::map<int, std::size_t> scale_histogram;  ///< floor(log2(scale)) -> number of blocks
};

/// Compares an array with its quantization, which must have dequantized values.
QuantizationStats quantization_stats(const float* x, const QuantizedArray& quantized);

struct FormatComparison {
  std::string format;
  std::string preset;
  QuantizationStats stats;
};

/// Quantizes x along its last axis with every combination of format and preset.
std::vector<FormatComparison> compare_formats(const float* x, const std::vector<std::size_t>& shape,
                                              const std::vector<std::string>& formats,
                                              unsigned threads = 1,
                                              const std::vector<std::string>& presets = {"ocp"});

/// The engine's formats and nvfp4.
std::vector<std::string> default_formats();

/// The default formats that all presets support. Throws Error if there are none.
std::vector<std::string> common_formats(const std::vector<std::string>& presets);

}  // namespace mxe::numerics
