// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/study.h"

#include <cmath>
#include <limits>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/scale_index.h"

namespace mxe::numerics {
QuantizationStats quantization_stats(const float* x, const QuantizedArray& quantized) {
  if (quantized.dequantized.empty() &&
      (!quantized.codes.empty() || !quantized.wide_codes.empty())) {
    throw Error("statistics need the dequantized values");
  }
  QuantizationStats stats;
  stats.elements = quantized.dequantized.size();
  stats.blocks = quantized.scales.size();
  const double largest = std::ldexp(quantized.format.max, quantized.options.element_shift);
  const ScaleIndex scale_of(quantized);
  double signal = 0;
  double noise = 0;
  double error_sum = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < stats.elements; i++) {
    const float q = quantized.dequantized[i];
    if (std::isnan(q)) stats.nans++;
    if (!std::isfinite(x[i])) continue;
    const double scale = static_cast<double>(quantized.scales[scale_of(i)]) *
                         static_cast<double>(tensor_scale_of(quantized, scale_of, i));
    if (std::fabs(static_cast<double>(x[i])) > largest * scale) stats.clipped++;
    if (x[i] != 0 && q == 0) stats.flushed++;
    if (!std::isfinite(q)) continue;
    const double error = std::fabs(static_cast<double>(x[i]) - static_cast<double>(q));
    signal += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    noise += error * error;
    error_sum += error;
    stats.max_error = std::max(stats.max_error, error);
    compared++;
  }
  stats.mean_error = compared > 0 ? error_sum / static_cast<double>(compared) : 0;
  stats.sqnr_db =
      compared > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::quiet_NaN();
  for (const float scale : quantized.scales) {
    if (!std::isfinite(scale)) {
      stats.nan_scales++;
    } else if (scale > 0) {
      ++stats.scale_histogram[std::ilogb(scale)];
    }
  }
  if (stats.elements > 0) {
    const double scale_bits =
        static_cast<double>(stats.blocks) * (quantized.has_scale_codes ? 8.0 : 32.0);
    stats.bits_per_element =
        quantized.format.bits + scale_bits / static_cast<double>(stats.elements);
  }
  return stats;
}

std::vector<FormatComparison> compare_formats(const float* x, const std::vector<std::size_t>& shape,
                                              const std::vector<std::string>& formats,
                                              unsigned threads,
                                              const std::vector<std::string>& presets) {
  std::vector<FormatComparison> result;
  QuantizedArray array;
  for (const std::string& name : formats) {
    for (const std::string& preset : presets) {
      const Quantizer quantizer = make_quantizer(name, preset);
      QuantizeRequest request;
      request.threads = threads;
      quantize_into(FloatArray(x), shape, quantizer.format, quantizer.options, request, array);
      result.push_back({name, preset, quantization_stats(x, array)});
    }
  }
  return result;
}

std::vector<std::string> default_formats() {
  std::vector<std::string> names;
  for (const FormatId id : kAllFormats) names.push_back(element_format(id).name);
  names.push_back("nvfp4");
  return names;
}

std::vector<std::string> common_formats(const std::vector<std::string>& presets) {
  std::vector<std::string> formats;
  std::string reason = "there are no formats to compare";
  for (const std::string& format : default_formats()) {
    try {
      for (const std::string& preset : presets) make_quantizer(format, preset);
      formats.push_back(format);
    } catch (const Error& error) {
      reason = error.what();
    }
  }
  if (formats.empty()) throw Error(reason);
  return formats;
}

}  // namespace mxe::numerics
