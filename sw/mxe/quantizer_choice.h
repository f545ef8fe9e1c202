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
/// --scale-format. Those of the operands of `matmul` end in "-a" or "-b".
struct QuantizerChoice {
  std::string suffix;  ///< of the options: empty, "-a" or "-b"
  std::string format, preset = "ocp", scale_format;
  std::optional<uint32_t> block;

  void add_to(CLI::App& command);
  /// A or B, by the suffix.
  std::string operand_name() const;
  /// The quantizer of these options and the switches in `more`. Throws Error for illegal ones.
  numerics::Quantizer resolve(numerics::Overrides more = {}) const;
};

}  // namespace mxe::cli
