// SPDX-License-Identifier: Apache-2.0
// Quantizers by name: element formats of any shape, and the presets that reproduce other people's
// software bit for bit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/format.h"
#include "model/numerics/quantizer_options.h"

namespace mx {

/// A format and how values are brought to it: what quantize (quantize.h) needs.
struct Quantizer {
  ElementFormat format;
  QuantizerOptions options;
};

/// All preset names, in the order of the documentation.
std::vector<std::string> preset_names();

/// The quantizer of a preset for a format. `format` is a hardware format's name, `nvfp4`, or a
/// custom one: eXmY (X exponent and Y mantissa bits, IEEE bias, no specials) or intN (two's
/// complement with N - 2 fraction bits). `nvfp4` under the preset `ocp` means `nvfp4-torchao2`.
/// Throws Error for an unknown preset or format, or one the preset cannot produce.
Quantizer make_quantizer(std::string_view format, std::string_view preset = "ocp");

/// The element format of any format name that make_quantizer takes (nvfp4: E2M1).
ElementFormat parse_any_format(std::string_view name);

}  // namespace mx
