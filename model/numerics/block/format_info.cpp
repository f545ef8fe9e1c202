// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/block/format_info.h"

#include "model/numerics/block/presets.h"

namespace mxe::numerics {

FormatInfo format_info(std::string_view name) {
  const Quantizer quantizer = make_quantizer(name);
  const ElementFormat& format = quantizer.format;
  const QuantizerOptions& options = quantizer.options;
  FormatInfo info;
  info.name = std::string(name);
  info.bits = format.bits;
  info.exponent_bits = format.exponent_bits;
  info.mantissa_bits = format.mantissa_bits;
  info.max = format.max;
  info.min_normal = format.min_normal;
  info.min_subnormal = format.min_subnormal;
  info.specials = format.has_inf ? "Inf, NaN" : format.has_nan ? "NaN" : "none";
  info.block_size = static_cast<int>(options.block_size);
  info.scale = options.scale_format.name();
  // A scale takes 8 bits in every format; E4M3's sign bit is always 0.
  info.bits_per_element = format.bits + 8.0 / static_cast<double>(options.block_size);
  info.compression_fp32 = 32.0 / info.bits_per_element;
  info.compression_fp16 = 16.0 / info.bits_per_element;
  return info;
}

std::vector<FormatInfo> all_format_infos() {
  std::vector<FormatInfo> infos;
  for (const FormatId id : kAllFormats) infos.push_back(format_info(element_format(id).name));
  infos.push_back(format_info("nvfp4"));
  return infos;
}

}  // namespace mxe::numerics
