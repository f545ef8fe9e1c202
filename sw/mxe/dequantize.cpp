// SPDX-License-Identifier: Apache-2.0

#include "model/numerics/quantize/dequantize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/base/bits.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/quantize/assemble.h"
#include "sw/arrays/arrays.h"
#include "sw/arrays/output_files.h"
#include "sw/arrays/packing.h"
#include "sw/mxe/array_options.h"
#include "sw/mxe/codes_choice.h"
#include "sw/mxe/command.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/quantizer_choice.h"

namespace mxe::cli {
namespace {

struct DequantizeOptions {
  std::string output, dtype = "float32";
  std::vector<std::string> tensors;
  QuantizerChoice quantizer;
  CodesChoice codes;
  std::optional<int> axis;
  bool json = false;
};

/// --axis, else the axis that fits the shapes; the last if several do (then each block has one
/// element). Throws Error if none fits.
std::size_t find_axis(const DequantizeOptions& options, const numerics::QuantizerOptions& quantizer,
                      const numerics::ArrayParts& parts) {
  if (quantizer.walk == numerics::BlockWalk::flat) return 0;
  const std::size_t rank = parts.shape.size();
  const auto fits = [&](std::size_t axis) {
    return numerics::scale_shape_of(parts.shape, axis, quantizer) == parts.scale_shape;
  };
  if (options.axis) {
    const std::size_t axis = numerics::resolve_axis(*options.axis, parts.shape);
    if (fits(axis)) return axis;
  } else {
    if (rank == 0 && parts.scale_shape.empty()) return 0;
    for (std::size_t axis = rank; axis-- > 0;) {
      if (fits(axis)) return axis;
    }
  }
  throw Error(
      fmt::format("{}: scales of shape {} do not fit elements of shape {}: there must be one for "
                  "every block of {} along {}",
                  options.codes.scales, numerics::shape_text(parts.scale_shape),
                  numerics::shape_text(parts.shape), quantizer.block_size,
                  options.axis ? fmt::format("axis {}", *options.axis) : "one axis"));
}

/// Rounds to nearest if --dtype is narrower than float32.
void write_values(const DequantizeOptions& options, const arrays::Array<float>& values) {
  arrays::OutputFiles files;
  if (options.dtype == "float32") {
    files.add(options.output, "output", values.values, values.shape);
    files.write();
    return;
  }
  numerics::NpyArray file;
  file.shape = values.shape;
  const bool bfloat16 = options.dtype == "bfloat16";
  file.dtype = bfloat16 ? numerics::DType::bfloat16 : numerics::DType::float16;
  for (const float value : values.values) {
    const uint32_t wide = to_bits(value);
    const uint16_t bits = bfloat16 ? numerics::bfloat16_bits(wide) : numerics::float16_bits(wide);
    file.data.push_back(static_cast<uint8_t>(bits & 0xFF));
    file.data.push_back(static_cast<uint8_t>(bits >> 8));
  }
  files.add(options.output, "output", std::move(file));
  files.write();
}

int run(const DequantizeOptions& options) {
  const numerics::Quantizer quantizer = options.quantizer.resolve();
  const CodesChoice& codes = options.codes;
  arrays::check_packing(quantizer.format, codes.packing);
  arrays::InputFiles files(options.tensors);
  numerics::ArrayParts parts;
  codes.read_elements(files, quantizer.format, parts);
  const std::string scales_name =
      codes.read_scales(files, quantizer.options, options.axis.value_or(-1), parts);
  parts.axis = static_cast<int>(find_axis(options, quantizer.options, parts));
  codes.read_whole_scale(files, options.quantizer, quantizer, scales_name, parts);
  files.require_all_names_used();
  const numerics::QuantizedArray array = numerics::assemble(std::move(parts), quantizer);
  write_values(options, {array.shape, numerics::dequantize(array, hardware_threads())});

  if (options.json) {
    print_json({{"format", options.quantizer.format},
                {"preset", options.quantizer.preset},
                {"shape", array.shape},
                {"axis", array.axis},
                {"block", array.options.block_size},
                {"blocks", array.scales.size()}});
  } else {
    fmt::print("{} from {}: {} blocks of {} along axis {}\n", numerics::shape_text(array.shape),
               options.quantizer.format, array.scales.size(), array.options.block_size, array.axis);
  }
  return kAgreed;
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("dequantize", "Turn element codes and block scales back into float32");
  const auto options = std::make_shared<DequantizeOptions>();
  command
      ->add_option("--elements", options->codes.elements,
                   "Element codes, uint8, or uint16 for formats of more than 8 bits: a .npy, .npz "
                   "or .safetensors file, or -, standard input")
      ->required();
  command->add_option("--scales", options->codes.scales, "Scale codes (uint8), or scales (float32)")
      ->required();
  add_tensor_option(*command, options->tensors,
                    "elements, scales, row amaxes (default: tensors of these names)");
  options->quantizer.add_to(*command);
  options->codes.add_whole_scale_to(*command);
  command
      ->add_option("--output", options->output,
                   "Write the values to a .npy or .safetensors file or -, standard output")
      ->required();
  command->add_option("--dtype", options->dtype, "Type of the values: float32, bfloat16 or float16")
      ->check(CLI::IsMember({"float32", "bfloat16", "float16"}))
      ->capture_default_str();
  command->add_option("--axis", options->axis, "Axis of the blocks (default: from the shapes)")
      ->check(fits<int>());
  options->codes.add_storage_to(*command);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
