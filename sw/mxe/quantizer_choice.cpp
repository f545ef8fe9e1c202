// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/quantizer_choice.h"

#include <CLI/CLI.hpp>

#include "sw/mxe/option_values.h"

namespace mxe::cli {

void QuantizerChoice::add_to(CLI::App& command) {
  CLI::Option* const option = command.add_option(
      "--format" + suffix, format,
      suffix.empty()
          ? "Element format: see `mxe formats`; also nvfp4, eXmY and intN"
          : "Format of " + operand_name() + ": see `mxe formats`; needed without --layer");
  if (suffix.empty()) option->required();
  command
      .add_option("--preset" + suffix, preset,
                  "Preset: ocp, or the quantizer of another system; see `mxe formats`")
      ->capture_default_str();
  command
      .add_option("--block" + suffix, block, "Elements that share a scale (default: the preset's)")
      ->check(fits<uint32_t>());
  command.add_option("--scale-format" + suffix, scale_format,
                     suffix.empty() ? "eXmY: format of the scales (default: e8m0)"
                                    : "Format of the scales: e8m0, e4m3 or e5m3 (default: the "
                                      "preset's); none for codes without scales");
}

std::string QuantizerChoice::operand_name() const { return suffix == "-a" ? "A" : "B"; }

numerics::Quantizer QuantizerChoice::resolve(numerics::Overrides more) const {
  if (block) more["block_size"] = int64_t{*block};
  if (!scale_format.empty()) more["scale_format"] = scale_format;
  return numerics::make_quantizer(format, preset, more);
}

}  // namespace mxe::cli
