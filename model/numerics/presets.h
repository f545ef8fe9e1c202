// SPDX-License-Identifier: Apache-2.0
// Quantizers by name: element formats of any shape, and the presets that reproduce other people's
// software bit for bit.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/format.h"
#include "model/numerics/quantizer_options.h"
#include "model/numerics/switches.h"

namespace mx {

/// A format and how values are brought to it: what quantize (quantize.h) needs.
struct Quantizer {
  ElementFormat format;
  QuantizerOptions options;
};

/// Values of switches (switches.h) by name, for example {{"block_size", int64_t{16}}}.
using Overrides = std::map<std::string, SwitchValue>;

/// What a preset is.
struct PresetInfo {
  std::string name;
  std::string formats;  ///< that it can produce
  std::string release;  ///< of the software that it was compared with bit for bit
};

/// All presets, in the order of the documentation.
std::vector<PresetInfo> preset_infos();
/// Their names.
std::vector<std::string> preset_names();

/// The quantizer of a preset for a format. `format` is a hardware format's name, `nvfp4`, or a
/// custom one: eXmY (X exponent and Y mantissa bits, IEEE bias, no specials) or intN (two's
/// complement with N - 2 fraction bits). The hardware formats also go by the names that PyTorch,
/// ml_dtypes and others have for them (float8_e4m3fn, fp6_e2m3, ...). `nvfp4` under the preset
/// `ocp` means `nvfp4-torchao2`. `overrides` are switches that differ from the preset's.
///
/// Throws Error for an unknown preset (naming the nearest ones) or format, one that the preset
/// cannot produce, and overrides that do not exist, are out of range, or change nothing: a scale
/// rule for scales with significand bits, a seed without stochastic rounding, a tensor amax for a
/// preset without a scale of the whole tensor.
Quantizer make_quantizer(std::string_view format, std::string_view preset = "ocp",
                         const Overrides& overrides = {});

/// The element format of any format name that make_quantizer takes (nvfp4: E2M1).
ElementFormat parse_any_format(std::string_view name);

}  // namespace mx
