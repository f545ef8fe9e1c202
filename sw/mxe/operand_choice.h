// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/arrays/products.h"
#include "sw/mxe/codes_choice.h"
#include "sw/mxe/quantizer_choice.h"

namespace mxe::cli {

/// The options of an operand of `matmul`: numbers with a quantizer, or codes and scales.
struct OperandChoice {
  /// `suffix` of the options: "-a" or "-b".
  explicit OperandChoice(const std::string& suffix) {
    quantizer.suffix = suffix;
    codes.suffix = suffix;
  }

  QuantizerChoice quantizer;
  CodesChoice codes;

  void add_to(CLI::App& command);
  bool has_codes() const { return !codes.elements.empty(); }

  /// Reads codes, or the numbers in `path`. `k_axis`: the axis of K, -1 or -2. Throws Error for
  /// illegal options and files.
  arrays::Operand read(arrays::InputFiles& files, const std::string& path, int k_axis) const;

 private:
  std::string option(const std::string& name) const { return "--" + name + codes.suffix; }
  bool is_without_scales() const { return quantizer.scale_format == "none"; }
  void require_possible() const;
  void require_whole_scale(const numerics::Quantizer& of_codes,
                           const numerics::ArrayParts& parts) const;
  arrays::Operand read_codes(arrays::InputFiles& files, int k_axis) const;
};

}  // namespace mxe::cli
