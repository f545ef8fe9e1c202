// SPDX-License-Identifier: Apache-2.0
// How well an array survives quantization: error statistics, per format and preset.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/numerics/quantize.h"

namespace mx {

struct QuantizationStats {
  std::size_t elements = 0;
  std::size_t blocks = 0;
  /// Over elements that are finite before and after.
  double sqnr_db = 0;    ///< 10 log10(sum x^2 / sum (x - q)^2); Inf without error, NaN without data
  double max_error = 0;  ///< of |x - q|
  double mean_error = 0;        ///< of |x - q|
  std::size_t clipped = 0;      ///< finite inputs beyond the largest element times their scale
  std::size_t flushed = 0;      ///< nonzero inputs that became zero
  std::size_t nans = 0;         ///< dequantized values that are NaN
  std::size_t nan_scales = 0;   ///< blocks without a number for a scale
  double bits_per_element = 0;  ///< codes and scales over elements, as stored here
  std::map<int, std::size_t> scale_histogram;  ///< floor(log2 scale) to blocks; NaN scales left out
};

/// Compares an array with its quantization (which must hold the dequantized values).
QuantizationStats quantization_stats(const float* x, const QuantizedArray& quantized);

struct FormatComparison {
  std::string format;
  std::string preset;
  QuantizationStats stats;
};

/// Quantizes x along its last axis in each of the formats by each of the presets (names as
/// make_quantizer takes them).
std::vector<FormatComparison> compare_formats(const float* x, const std::vector<std::size_t>& shape,
                                              const std::vector<std::string>& formats,
                                              unsigned threads = 1,
                                              const std::vector<std::string>& presets = {"ocp"});

/// The names that compare_formats uses by default: the engine's formats and nvfp4.
std::vector<std::string> default_formats();

/// Those of them that every one of the presets has; throws Error if there are none.
std::vector<std::string> common_formats(const std::vector<std::string>& presets);

}  // namespace mx
