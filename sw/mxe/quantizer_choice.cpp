// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/quantizer_choice.h"

#include <CLI/CLI.hpp>
namespace mxe::cli {

void QuantizerChoice::add_to(CLI::App& command) {
  command
      .add_option("--format", format,
                  "Element format: see `mxe formats`; also nvfp4, eXmY and intN")
      ->required();
  command.add_option("--preset", preset, "Whose quantizer: ocp, or another system's")
      ->capture_default_str();
  command.add_option("--block", block, "Elements that share a scale (default: the preset's)")
      ->check(CLI::PositiveNumber);
  command.add_option("--scale-format", scale_format, "eXmY: format of the scales (default: e8m0)");
}

mx::Quantizer QuantizerChoice::resolve() const {
  mx::Quantizer quantizer = mx::make_quantizer(format, preset);
  if (block != 0) quantizer.options.block_size = block;
  if (!scale_format.empty()) quantizer.options.scale_format = mx::parse_scale_format(scale_format);
  return quantizer;
}

}  // namespace mxe::cli
