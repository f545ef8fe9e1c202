// SPDX-License-Identifier: Apache-2.0

#include "model/numerics/quantize/dequantize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
#include "sw/mxe/command.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/quantizer_choice.h"

namespace mxe::cli {
namespace {

struct DequantizeOptions {
  std::string elements, scales, output, row_amaxes, dtype = "float32";
  std::vector<std::string> tensors;
  QuantizerChoice quantizer;
  std::optional<int> axis;
  std::optional<float> tensor_scale, tensor_amax;
  std::optional<std::size_t> length;
  arrays::Packing packing = arrays::Packing::none;
  bool swizzled = false, json = false;
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
  throw Error(fmt::format(
      "{}: scales of shape {} do not fit elements of shape {}: there must be one for "
      "every block of {} along {}",
      options.scales, numerics::shape_text(parts.scale_shape), numerics::shape_text(parts.shape),
      quantizer.block_size, options.axis ? fmt::format("axis {}", *options.axis) : "one axis"));
}

void read_elements(arrays::InputFiles& files, const DequantizeOptions& options,
                   const numerics::ElementFormat& format, numerics::ArrayParts& parts) {
  numerics::NamedTensor tensor = files.read(options.elements, "elements");
  if (format.bits > 8) {
    arrays::Array<uint16_t> codes = arrays::to_shorts(tensor, options.elements);
    parts.shape = std::move(codes.shape);
    parts.wide_codes = std::move(codes.values);
    return;
  }
  arrays::Array<uint8_t> codes =
      arrays::unpack(format, options.packing, arrays::to_bytes(std::move(tensor), options.elements),
                     options.length);
  parts.shape = std::move(codes.shape);
  parts.codes = std::move(codes.values);
}

std::vector<std::size_t> swizzled_shape(const DequantizeOptions& options,
                                        const std::vector<std::size_t>& elements,
                                        const numerics::QuantizerOptions& quantizer) {
  const std::size_t axis = numerics::resolve_axis(options.axis.value_or(-1), elements);
  const std::vector<std::size_t> scales = numerics::scale_shape_of(elements, axis, quantizer);
  numerics::require_swizzle(true, scales.size(), axis, elements.size());
  return scales;
}

/// Returns the name of the scales' tensor; empty for .npy files.
std::string read_scales(arrays::InputFiles& files, const DequantizeOptions& options,
                        const numerics::QuantizerOptions& quantizer, numerics::ArrayParts& parts) {
  numerics::NamedTensor tensor = files.read(options.scales, "scales");
  const std::string name = tensor.name;
  parts.has_scale_codes = tensor.array.dtype != numerics::DType::float32 || options.swizzled;
  if (!parts.has_scale_codes) {
    arrays::Array<float> scales = arrays::to_floats(tensor, options.scales);
    parts.scale_shape = std::move(scales.shape);
    parts.scales = std::move(scales.values);
    return name;
  }
  arrays::Array<uint8_t> codes = arrays::to_bytes(std::move(tensor), options.scales);
  if (options.swizzled) {
    codes =
        arrays::unswizzle(codes, swizzled_shape(options, parts.shape, quantizer), options.scales);
  }
  parts.scale_shape = std::move(codes.shape);
  parts.scale_codes = std::move(codes.values);
  return name;
}

/// Metadata that mxe.save of the Python package wrote for an array; null if the file has none.
/// `prefix` is the common prefix of the names of the array's tensors.
Json said_about(const arrays::Extras& file, const std::string& prefix) {
  const auto text = file.metadata.find(prefix + "mxe");
  return text == file.metadata.end() ? Json() : Json::parse(text->second, nullptr, false);
}

numerics::SwitchValue switch_value_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return value.get<std::pair<int64_t, int64_t>>();
  return {};
}

void require_same_quantizer(const Json& said, const DequantizeOptions& options,
                            const numerics::Quantizer& quantizer, const std::string& path) {
  if (!said.is_object()) return;
  const auto format = said.value("format", std::string());
  const auto preset = said.value("preset", std::string());
  numerics::Overrides overrides;
  const Json switches = said.value("switches", Json::object());
  for (const auto& [name, value] : switches.items()) {
    overrides[name] = switch_value_of(value);
  }
  const numerics::Quantizer stored = numerics::make_quantizer(format, preset, overrides);
  if (stored.format.name == quantizer.format.name && stored.options == quantizer.options) return;
  throw Error(fmt::format("{}: its codes are of --format {} --preset {}{}, not of {} {}", path,
                          format, preset,
                          overrides.empty() ? "" : " with switches " + switches.dump(),
                          options.quantizer.format, options.quantizer.preset));
}

/// A number for the whole array: a tensor of one element, else in the metadata, else none.
std::optional<float> stored_number(const arrays::Extras& file, const std::string& path,
                                   const std::string& prefix, const Json& said,
                                   const std::string& name) {
  const auto tensor = file.tensors.find(prefix + name);
  if (tensor != file.tensors.end()) {
    const arrays::Array<float> number = arrays::to_floats(tensor->second, path);
    if (number.values.size() == 1) return number.values[0];
    throw Error(fmt::format("{}: tensor '{}' must have one element, but is {}", path, prefix + name,
                            numerics::shape_text(number.shape)));
  }
  if (!said.is_object() || !said.contains(name) || !said[name].is_number()) return std::nullopt;
  return said[name].get<float>();
}

void require_same(const char* option, const std::optional<float>& given,
                  const std::optional<float>& stored, const std::string& path) {
  if (!given || !stored || *given == *stored) return;
  throw Error(fmt::format("--{} {} is not what {} holds: {}", option, *given, path, *stored));
}

/// A number that both files store must be the same in both.
void keep_one(const char* name, std::optional<float>& kept, const std::optional<float>& stored,
              const DequantizeOptions& options) {
  if (kept && stored && *kept != *stored) {
    throw Error(fmt::format("{} and {} hold different values of {}: {} and {}", options.scales,
                            options.elements, name, *kept, *stored));
  }
  if (!kept) kept = stored;
}

/// Takes tensor scale and amax from the options, else from both files if the scales' tensor is
/// called PREFIXscales. Such files must agree with each other, the options and the quantizer.
void read_tensor_scale(arrays::InputFiles& files, const DequantizeOptions& options,
                       const numerics::Quantizer& quantizer, const std::string& scales_name,
                       numerics::ArrayParts& parts) {
  parts.tensor_scale = options.tensor_scale;
  parts.tensor_amax = options.tensor_amax;
  constexpr std::string_view kRole = "scales";
  if (scales_name.size() < kRole.size()) return;
  const std::size_t length = scales_name.size() - kRole.size();
  if (scales_name.compare(length, kRole.size(), kRole) != 0) return;
  const std::string prefix = scales_name.substr(0, length);
  std::optional<float> scale, amax;
  for (const std::string& path : std::set<std::string>{options.scales, options.elements}) {
    const arrays::Extras file =
        files.extras(path, {prefix + "tensor_scale", prefix + "tensor_amax"});
    const Json said = said_about(file, prefix);
    require_same_quantizer(said, options, quantizer, path);
    const std::optional<float> file_scale = stored_number(file, path, prefix, said, "tensor_scale");
    const std::optional<float> file_amax = stored_number(file, path, prefix, said, "tensor_amax");
    require_same("tensor-scale", options.tensor_scale, file_scale, path);
    require_same("tensor-amax", options.tensor_amax, file_amax, path);
    keep_one("tensor_scale", scale, file_scale, options);
    keep_one("tensor_amax", amax, file_amax, options);
  }
  if (options.tensor_scale || options.tensor_amax || (!scale && !amax)) return;
  parts.tensor_scale = scale;
  parts.tensor_amax = amax;
  parts.is_stored = true;
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
  arrays::check_packing(quantizer.format, options.packing);
  arrays::InputFiles files(options.tensors);
  numerics::ArrayParts parts;
  parts.codes_name = options.elements;
  parts.scales_name = options.scales;
  read_elements(files, options, quantizer.format, parts);
  const std::string scales_name = read_scales(files, options, quantizer.options, parts);
  parts.axis = static_cast<int>(find_axis(options, quantizer.options, parts));
  read_tensor_scale(files, options, quantizer, scales_name, parts);
  if (!options.row_amaxes.empty()) {
    parts.row_amaxes =
        arrays::to_floats(files.read(options.row_amaxes, "row_amax"), options.row_amaxes).values;
  }
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
      ->add_option("--elements", options->elements,
                   "Element codes, uint8, or uint16 for formats of more than 8 bits: a .npy, .npz "
                   "or .safetensors file, or -, standard input")
      ->required();
  command->add_option("--scales", options->scales, "Scale codes (uint8), or scales (float32)")
      ->required();
  add_tensor_option(*command, options->tensors,
                    "elements, scales, row amaxes (default: tensors of these names)");
  options->quantizer.add_to(*command);
  command->add_option(
      "--tensor-scale", options->tensor_scale,
      "Scale of the whole array, for presets that have one (nvfp4: see `quantize --json`; "
      "default: from a .safetensors file of `quantize` or mxe.save)");
  command->add_option("--tensor-amax", options->tensor_amax,
                      "Instead of --tensor-scale: the amax of the whole array");
  command->add_option("--row-amax", options->row_amaxes,
                      "amax of each row (float32), for presets with a scale per row");
  command
      ->add_option("--output", options->output,
                   "Write the values to a .npy or .safetensors file or -, standard output")
      ->required();
  command->add_option("--dtype", options->dtype, "Type of the values: float32, bfloat16 or float16")
      ->check(CLI::IsMember({"float32", "bfloat16", "float16"}))
      ->capture_default_str();
  command->add_option("--axis", options->axis, "Axis of the blocks (default: from the shapes)")
      ->check(fits<int>());
  add_packing_option(*command, options->packing);
  add_swizzle_option(*command, options->swizzled);
  command->add_option("--length", options->length,
                      "With --pack: length of the last axis (default: all elements in the bytes)");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
