// SPDX-License-Identifier: Apache-2.0
// mxe dequantize: element codes and block scales back to float32.

#include "model/numerics/dequantize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/numerics/bfloat16.h"
#include "model/numerics/block.h"
#include "model/numerics/float16.h"
#include "model/numerics/npy.h"
#include "sw/mxe/arrays.h"
#include "sw/mxe/command.h"
#include "sw/mxe/output_files.h"
#include "sw/mxe/packing.h"
#include "sw/mxe/quantizer_choice.h"

namespace mxe::cli {
namespace {

struct DequantizeOptions {
  std::string elements, scales, output, row_amaxes, dtype = "float32";
  std::vector<std::string> tensors;
  QuantizerChoice quantizer;
  std::optional<int> axis;
  std::optional<float> tensor_scale, tensor_amax;
  std::size_t length = 0;
  Packing packing = Packing::none;
  bool swizzled = false, json = false;
};

std::size_t blocks_of(std::size_t length, std::size_t block) {
  return (length + block - 1) / block;
}

/// How the elements fall into blocks.
struct Blocks {
  std::size_t axis;  ///< the blocked one
  AxisView view;     ///< of the elements
  std::size_t size;  ///< of a block
};

/// Finds the axis along which there is one scale for every block: the given one, or the only one
/// that the shapes allow. (Where several do, the blocks hold one element and it makes no
/// difference.)
std::optional<std::size_t> find_axis(const std::optional<int>& given,
                                     const std::vector<std::size_t>& elements,
                                     const std::vector<std::size_t>& scales, std::size_t block) {
  const auto fits = [&](std::size_t axis) {
    std::vector<std::size_t> expected = elements;
    expected[axis] = blocks_of(expected[axis], block);
    return expected == scales;
  };
  if (given) {
    const std::size_t axis = resolve_axis(*given, elements.size());
    return fits(axis) ? std::optional(axis) : std::nullopt;
  }
  for (std::size_t axis = elements.size(); axis-- > 0;) {
    if (fits(axis)) return axis;
  }
  return std::nullopt;
}

Blocks find_blocks(const DequantizeOptions& options, const mx::QuantizerOptions& quantizer,
                   const std::vector<std::size_t>& elements,
                   const std::vector<std::size_t>& scales) {
  const std::size_t block = quantizer.block_size;
  if (quantizer.walk == mx::BlockWalk::flat) {
    std::size_t count = 1;
    for (const std::size_t dimension : elements) count *= dimension;
    if (scales == std::vector<std::size_t>{blocks_of(count, block)})
      return {0, {1, count, 1}, block};
  } else if (const auto axis = find_axis(options.axis, elements, scales, block)) {
    return {*axis, split_at(elements, *axis), block};
  }
  throw mx::Error(
      fmt::format("{}: scales of shape {} do not fit elements of shape {}: there must be one for "
                  "every block of "
                  "{} along {}",
                  options.scales, shape_text(scales), shape_text(elements), block,
                  options.axis ? fmt::format("axis {}", *options.axis) : "one axis"));
}

/// Looks codes up in a table; throws mx::Error naming `path` for a code beyond its end.
template <typename Code>
std::vector<float> look_up(const std::vector<Code>& codes, const std::vector<float>& table,
                           const std::string& path, const std::string& format) {
  std::vector<float> values;
  values.reserve(codes.size());
  for (const Code code : codes) {
    if (code >= table.size()) {
      throw mx::Error(fmt::format("{}: the code {} is too large for {} (allowed: 0 to {})", path,
                                  code, format, table.size() - 1));
    }
    values.push_back(table[code]);
  }
  return values;
}

Array<float> read_elements(InputFiles& files, const DequantizeOptions& options,
                           const mx::Quantizer& quantizer, const std::vector<float>& table) {
  mx::NamedTensor tensor = files.read(options.elements, "elements");
  if (quantizer.format.bits > 8) {
    const Array<uint16_t> codes = to_shorts(tensor, options.elements);
    return {codes.shape, look_up(codes.values, table, options.elements, options.quantizer.format)};
  }
  const Array<uint8_t> codes =
      unpack(quantizer.format, options.packing, to_bytes(std::move(tensor), options.elements),
             options.length);
  return {codes.shape, look_up(codes.values, table, options.elements, options.quantizer.format)};
}

/// The shape of the scale codes that --swizzle has made one row of bytes.
std::vector<std::size_t> scale_shape(const DequantizeOptions& options,
                                     std::vector<std::size_t> elements, std::size_t block) {
  const std::size_t axis = resolve_axis(options.axis.value_or(-1), elements.size());
  if (axis + 1 != elements.size()) {
    throw mx::Error("--swizzle needs scale codes of blocks along the last axis");
  }
  elements.back() = blocks_of(elements.back(), block);
  return elements;
}

/// Scales as numbers: float32 files hold them as they are.
Array<float> read_scales(InputFiles& files, const DequantizeOptions& options,
                         const mx::QuantizerOptions& quantizer,
                         const std::vector<std::size_t>& elements) {
  mx::NamedTensor tensor = files.read(options.scales, "scales");
  if (tensor.array.dtype == mx::DType::float32 && !options.swizzled) {
    return to_floats(tensor, options.scales);
  }
  Array<uint8_t> codes = to_bytes(std::move(tensor), options.scales);
  if (options.swizzled) {
    codes = unswizzle(codes, scale_shape(options, elements, quantizer.block_size), options.scales);
  }
  const mx::ScaleFormat& format = quantizer.scale_format;
  return {codes.shape,
          look_up(codes.values, mx::scale_values(format), options.scales, format.name())};
}

/// The rules for every run along the axis, or one for all, with the tensor scale that was given.
std::vector<mx::BlockRules> scale_rules(InputFiles& files, const DequantizeOptions& options,
                                        const mx::Quantizer& quantizer, const AxisView& view) {
  const mx::QuantizerOptions& switches = quantizer.options;
  const bool by_amax = switches.value_order == mx::ValueOrder::amax_first;
  if (switches.row_scaled) {
    if (options.row_amaxes.empty()) {
      throw mx::Error(fmt::format("preset '{}' has a scale for every row: --row-amax is needed",
                                  options.quantizer.preset));
    }
    const Array<float> amaxes =
        to_floats(files.read(options.row_amaxes, "row_amax"), options.row_amaxes);
    require_same_shape(amaxes, {view.rows()}, options.row_amaxes + ": the amax of every row");
    std::vector<mx::BlockRules> rules;
    for (const float amax : amaxes.values) {
      rules.push_back(mx::make_block_rules(quantizer.format, switches, amax));
    }
    return rules;
  }
  mx::BlockRules rules =
      mx::make_block_rules(quantizer.format, switches, options.tensor_amax.value_or(1.0f));
  if (options.tensor_amax && options.tensor_scale) {
    throw mx::Error("--tensor-scale and --tensor-amax say the same: give one of them");
  }
  if (by_amax && !options.tensor_amax) {
    throw mx::Error(fmt::format(
        "preset '{}' multiplies with the tensor's amax: --tensor-amax is needed (`quantize --json` "
        "tells it)",
        options.quantizer.preset));
  }
  if (!options.tensor_amax) rules.tensor_decode = options.tensor_scale.value_or(1.0f);
  return {rules};
}

/// Writes the values, rounded to nearest even where --dtype is narrower.
void write_values(const DequantizeOptions& options, const Array<float>& values) {
  OutputFiles files;
  if (options.dtype == "float32") {
    files.add(options.output, "output", values.values, values.shape);
    files.write();
    return;
  }
  mx::NpyArray file;
  file.shape = values.shape;
  const bool bfloat16 = options.dtype == "bfloat16";
  file.dtype = bfloat16 ? mx::DType::bfloat16 : mx::DType::float16;
  for (const float value : values.values) {
    const uint32_t wide = mx::to_bits(value);
    const uint16_t bits = bfloat16 ? mx::bfloat16_bits(wide) : mx::float16_bits(wide);
    file.data.push_back(static_cast<uint8_t>(bits & 0xFF));
    file.data.push_back(static_cast<uint8_t>(bits >> 8));
  }
  files.add(options.output, "output", std::move(file));
  files.write();
}

int run(const DequantizeOptions& options) {
  const mx::Quantizer quantizer = options.quantizer.resolve();
  check_packing(quantizer.format, options.packing);
  const mx::BlockRules rules = mx::make_block_rules(quantizer.format, quantizer.options, 1);
  InputFiles files(options.tensors);
  Array<float> values = read_elements(files, options, quantizer, rules.values);
  const Array<float> scales = read_scales(files, options, quantizer.options, values.shape);
  const Blocks blocks = find_blocks(options, quantizer.options, values.shape, scales.shape);
  mx::apply_scales(values.values, scales.values, blocks.view, blocks.size,
                   scale_rules(files, options, quantizer, blocks.view));
  files.require_all_names_used();
  write_values(options, values);

  if (options.json) {
    print_json({{"format", options.quantizer.format},
                {"preset", options.quantizer.preset},
                {"shape", values.shape},
                {"axis", blocks.axis},
                {"block", blocks.size},
                {"blocks", scales.values.size()}});
  } else {
    fmt::print("{} from {}: {} blocks of {} along axis {}\n", shape_text(values.shape),
               options.quantizer.format, scales.values.size(), blocks.size, blocks.axis);
  }
  return kAgreed;
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("dequantize", "Turn element codes and block scales back into float32");
  const auto options = std::make_shared<DequantizeOptions>();
  command
      ->add_option("--elements", options->elements,
                   "Element codes, uint8, or uint16 for formats of more than 8 bits: a .npy, .npz "
                   "or .safetensors file, or -, standard input")
      ->required();
  command->add_option("--scales", options->scales, "Scale codes (uint8), or scales (float32)")
      ->required();
  add_tensor_option(*command, options->tensors,
                    "elements, scales, row amaxes (default: tensors of these names)");
  options->quantizer.add_to(*command);
  command->add_option("--tensor-scale", options->tensor_scale,
                      "Factor of the whole array (nvfp4: `quantize --json` tells it; default: 1)");
  command->add_option("--tensor-amax", options->tensor_amax, "The same as the amax it is made of");
  command->add_option("--row-amax", options->row_amaxes,
                      "amax of every row (float32), for presets with a scale for every row");
  command
      ->add_option("--output", options->output,
                   "Write the values to a .npy or .safetensors file or -, standard output")
      ->required();
  command->add_option("--dtype", options->dtype, "Their type: float32, bfloat16 or float16")
      ->check(CLI::IsMember({"float32", "bfloat16", "float16"}))
      ->capture_default_str();
  command->add_option("--axis", options->axis,
                      "Axis the blocks run along (default: as the shapes say)");
  add_packing_option(*command, options->packing);
  add_swizzle_option(*command, options->swizzled);
  command->add_option("--length", options->length,
                      "With --pack: elements along the last axis (default: all in the bytes)");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
