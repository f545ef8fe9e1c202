// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/numerics/block/presets.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Options of `quantize`, `dequantize` and `explain`: --format, --preset, --block and
/// --scale-format.
struct QuantizerChoice {
  std::string format, preset = "ocp", scale_format;
  std::optional<uint32_t> block;

  void add_to(CLI::App& command);
  /// The quantizer of these options and the switches in `more`. Throws Error for illegal ones.
  numerics::Quantizer resolve(numerics::Overrides more = {}) const;
};

}  // namespace mxe::cli
