// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/operand_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <utility>

#include "model/numerics/quantize/assemble.h"
#include "model/numerics/quantize/operand.h"

namespace mxe::cli {

void OperandChoice::add_to(CLI::App& command) {
  quantizer.add_to(command);
  const std::string name = quantizer.operand_name();
  command.add_option("--elements" + codes.suffix, codes.elements,
                     "Element codes in the place of " + name +
                         ", as `quantize` writes them: the file " + name +
                         ".npy is then not given");
  command.add_option("--scales" + codes.suffix, codes.scales,
                     "Scale codes of " + name +
                         " (default: from the .safetensors file of --elements" + codes.suffix +
                         ")");
  codes.add_whole_scale_to(command);
  codes.add_storage_to(command);
}

// Throws Error for options of codes without codes, and for options that exclude each other.
void OperandChoice::require_possible() const {
  const std::pair<bool, const char*> only_with_codes[] = {
      {!codes.scales.empty(), "scales"},
      {!codes.row_amaxes.empty(), "row-amax"},
      {codes.packing != arrays::Packing::none, "pack"},
      {codes.swizzled, "swizzle"},
      {codes.length.has_value(), "length"}};
  for (const auto& [is_given, name] : only_with_codes) {
    if (is_given && !has_codes()) {
      throw Error(fmt::format("{} is for codes: it needs {}", option(name), option("elements")));
    }
  }
  if (!is_without_scales()) return;
  if (!has_codes()) {
    throw Error(fmt::format("{} none is for codes: it needs {}", option("scale-format"),
                            option("elements")));
  }
  const std::pair<bool, const char*> not_without_scales[] = {
      {!codes.scales.empty(), "scales"},
      {quantizer.block.has_value(), "block"},
      {codes.tensor_amax.has_value(), "tensor-amax"},
      {!codes.row_amaxes.empty(), "row-amax"},
      {codes.swizzled, "swizzle"}};
  for (const auto& [is_given, name] : not_without_scales) {
    if (!is_given) continue;
    throw Error(fmt::format("{} none excludes {} (allowed: {})", option("scale-format"),
                            option(name), option("tensor-scale")));
  }
  if (codes.tensor_scale && !(std::isfinite(*codes.tensor_scale) && *codes.tensor_scale > 0)) {
    throw Error(fmt::format("the tensor scale cannot be {} (allowed: finite numbers above 0)",
                            *codes.tensor_scale));
  }
}

void OperandChoice::require_whole_scale(const numerics::Quantizer& of_codes,
                                        const numerics::ArrayParts& parts) const {
  const bool has_amax = parts.tensor_amax || of_codes.options.tensor_amax;
  std::string missing;
  switch (numerics::whole_scale(of_codes.options)) {
    case numerics::WholeScale::none:
      break;
    case numerics::WholeScale::tensor_scale:
      if (!parts.tensor_scale && !has_amax) {
        missing = option("tensor-scale") + ", " + option("tensor-amax");
      }
      break;
    case numerics::WholeScale::tensor_amax:
      if (!has_amax) missing = option("tensor-amax");
      break;
    case numerics::WholeScale::row_amaxes:
      if (!parts.row_amaxes) missing = option("row-amax");
      break;
  }
  if (missing.empty()) return;
  throw Error(fmt::format(
      "{}: the scale of the whole tensor is missing (allowed: {}, .safetensors files of quantize)",
      codes.elements, missing));
}

arrays::Operand OperandChoice::read_codes(arrays::InputFiles& files, int k_axis) const {
  QuantizerChoice of_scales = quantizer;
  if (is_without_scales()) of_scales.scale_format.clear();
  CodesChoice chosen = codes;
  arrays::Operand operand;
  operand.path = codes.elements;
  operand.quantizer = of_scales.resolve();
  operand.has_scales = !is_without_scales();
  arrays::check_packing(operand.quantizer.format, codes.packing);
  numerics::ArrayParts& parts = operand.codes.emplace();
  chosen.read_elements(files, operand.quantizer.format, parts);
  if (parts.shape.size() < 2) {
    throw Error(fmt::format("{}: must have at least two axes, but the array is {}", codes.elements,
                            numerics::shape_text(parts.shape)));
  }
  if (!operand.has_scales) {
    operand.tensor_scale = codes.tensor_scale;
    return operand;
  }
  if (chosen.scales.empty()) {
    const bool has_both = codes.elements == "-" ||
                          std::filesystem::path(codes.elements).extension() == ".safetensors";
    if (!has_both) {
      throw Error(fmt::format("{} {} needs {}, or {} none", option("elements"), codes.elements,
                              option("scales"), option("scale-format")));
    }
    chosen.scales = codes.elements;
  }
  const std::string scales_name =
      chosen.read_scales(files, operand.quantizer.options, k_axis, parts);
  chosen.read_whole_scale(files, of_scales, operand.quantizer, scales_name, parts);
  require_whole_scale(operand.quantizer, parts);
  return operand;
}

arrays::Operand OperandChoice::read(arrays::InputFiles& files, const std::string& path,
                                    int k_axis) const {
  if (quantizer.format.empty()) throw Error(option("format") + " is required");
  require_possible();
  if (has_codes()) return read_codes(files, k_axis);
  arrays::Operand operand;
  numerics::Overrides overrides;
  if (codes.tensor_amax) overrides["tensor_amax"] = double{*codes.tensor_amax};
  if (codes.tensor_scale) overrides["tensor_scale"] = double{*codes.tensor_scale};
  operand.quantizer = quantizer.resolve(std::move(overrides));
  operand.path = path;
  // Refuses quantizers that no product has before it reads the file.
  numerics::operand_format(operand.quantizer.format, operand.quantizer.options,
                           quantizer.operand_name());
  operand.numbers = arrays::to_floats(files.read(path), path);
  return operand;
}

}  // namespace mxe::cli
