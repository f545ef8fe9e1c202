// SPDX-License-Identifier: Apache-2.0
// Quantizers by name: element formats, and presets that reproduce other software bit for bit.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/block/switches.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

struct Quantizer {
  ElementFormat format;
  QuantizerOptions options;
};

/// Values of switches (switches.h) by name, for example {{"block_size", int64_t{16}}}.
using Overrides = std::map<std::string, SwitchValue>;

struct PresetInfo {
  std::string name;
  std::string formats;
  std::string release;  ///< the software that it equals bit for bit
};

std::vector<PresetInfo> preset_infos();
std::vector<std::string> preset_names();

/// The quantizer of a preset for a format. `format`: an engine format or an alias from PyTorch,
/// ml_dtypes and others (float8_e4m3fn, fp6_e2m3, ...), `nvfp4` (with the preset `ocp`:
/// `nvfp4-torchao2`), eXmY (IEEE bias, no NaN or Inf) or intN (two's complement with N - 2 fraction
/// bits). `overrides`: switches that differ from the preset's.
///
/// Throws Error for an unknown preset or format, a format that the preset does not support, and
/// overrides that are unknown, out of range, exclude each other or have no effect: a scale rule for
/// scales with significand bits, a seed without stochastic rounding, a tensor amax or a tensor
/// scale for a preset without one.
Quantizer make_quantizer(std::string_view format, std::string_view preset = "ocp",
                         const Overrides& overrides = {});

/// The element format of a format name of make_quantizer (nvfp4: E2M1).
ElementFormat parse_any_format(std::string_view name);

}  // namespace mxe::numerics
