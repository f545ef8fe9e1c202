// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "model/numerics/presets.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// The options that say what codes and scales mean, shared by `quantize` and `dequantize`:
/// --format,
/// --preset, --block and --scale-format.
struct QuantizerChoice {
  std::string format, preset = "ocp", scale_format;
  std::size_t block = 0;  ///< 0 = the preset's

  void add_to(CLI::App& command);
  /// Throws mx::Error for names that do not exist or do not go together.
  mx::Quantizer resolve() const;
};

}  // namespace mxe::cli
