// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/codes_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "model/numerics/formats/layout.h"
#include "sw/mxe/array_options.h"
#include "sw/mxe/command.h"

namespace mxe::cli {
namespace {

std::vector<std::size_t> swizzled_shape(int axis, const std::vector<std::size_t>& elements,
                                        const numerics::QuantizerOptions& quantizer) {
  const std::size_t along = numerics::resolve_axis(axis, elements);
  const std::vector<std::size_t> scales = numerics::scale_shape_of(elements, along, quantizer);
  numerics::require_swizzle(true, scales.size(), along, elements.size());
  return scales;
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

void require_same_quantizer(const Json& said, const QuantizerChoice& choice,
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
  throw Error(fmt::format(
      "{}: its codes are of --format {} --preset {}{}, not of {} {}", path, format, preset,
      overrides.empty() ? "" : " with switches " + switches.dump(), choice.format, choice.preset));
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

void require_same(const std::string& option, const std::optional<float>& given,
                  const std::optional<float>& stored, const std::string& path) {
  if (!given || !stored || *given == *stored) return;
  throw Error(fmt::format("{} {} is not what {} holds: {}", option, *given, path, *stored));
}

/// A number that both files store must be the same in both.
void keep_one(const char* name, std::optional<float>& kept, const std::optional<float>& stored,
              const CodesChoice& files) {
  if (kept && stored && *kept != *stored) {
    throw Error(fmt::format("{} and {} hold different values of {}: {} and {}", files.scales,
                            files.elements, name, *kept, *stored));
  }
  if (!kept) kept = stored;
}

}  // namespace

void CodesChoice::add_whole_scale_to(CLI::App& command) {
  command.add_option("--tensor-scale" + suffix, tensor_scale,
                     "Scale of the whole array, for presets that have one (nvfp4: see `quantize "
                     "--json`; default: from a .safetensors file of `quantize` or mxe.save)" +
                         std::string(suffix.empty() ? "" : "; for numbers: a constant one"));
  command.add_option("--tensor-amax" + suffix, tensor_amax,
                     "Instead of --tensor-scale" + suffix + ": the amax of the whole array");
  command.add_option("--row-amax" + suffix, row_amaxes,
                     "amax of each row (float32), for presets with a scale per row");
}

void CodesChoice::add_storage_to(CLI::App& command) {
  add_packing_option(command, packing, suffix);
  add_swizzle_option(command, swizzled, suffix);
  command.add_option(
      "--length" + suffix, length,
      "With --pack" + suffix + ": length of the last axis (default: all elements in the bytes)");
}

void CodesChoice::read_elements(arrays::InputFiles& files, const numerics::ElementFormat& format,
                                numerics::ArrayParts& parts) const {
  parts.codes_name = elements;
  numerics::NamedTensor tensor = files.read(elements, "elements");
  if (format.bits > 8) {
    arrays::Array<uint16_t> codes = arrays::to_shorts(tensor, elements);
    parts.shape = std::move(codes.shape);
    parts.wide_codes = std::move(codes.values);
    return;
  }
  arrays::Array<uint8_t> codes =
      arrays::unpack(format, packing, arrays::to_bytes(std::move(tensor), elements), length);
  parts.shape = std::move(codes.shape);
  parts.codes = std::move(codes.values);
}

std::string CodesChoice::read_scales(arrays::InputFiles& files,
                                     const numerics::QuantizerOptions& quantizer, int axis,
                                     numerics::ArrayParts& parts) const {
  parts.scales_name = scales;
  numerics::NamedTensor tensor = files.read(scales, "scales");
  const std::string name = tensor.name;
  parts.has_scale_codes = tensor.array.dtype != numerics::DType::float32 || swizzled;
  if (!parts.has_scale_codes) {
    arrays::Array<float> numbers = arrays::to_floats(tensor, scales);
    parts.scale_shape = std::move(numbers.shape);
    parts.scales = std::move(numbers.values);
    return name;
  }
  arrays::Array<uint8_t> codes = arrays::to_bytes(std::move(tensor), scales);
  if (swizzled) {
    codes = arrays::unswizzle(codes, swizzled_shape(axis, parts.shape, quantizer), scales);
  }
  parts.scale_shape = std::move(codes.shape);
  parts.scale_codes = std::move(codes.values);
  return name;
}

void CodesChoice::read_whole_scale(arrays::InputFiles& files, const QuantizerChoice& choice,
                                   const numerics::Quantizer& quantizer,
                                   const std::string& scales_name,
                                   numerics::ArrayParts& parts) const {
  read_tensor_scale(files, choice, quantizer, scales_name, parts);
  if (row_amaxes.empty()) return;
  parts.row_amaxes = arrays::to_floats(files.read(row_amaxes, "row_amax"), row_amaxes).values;
}

void CodesChoice::read_tensor_scale(arrays::InputFiles& files, const QuantizerChoice& choice,
                                    const numerics::Quantizer& quantizer,
                                    const std::string& scales_name,
                                    numerics::ArrayParts& parts) const {
  parts.tensor_scale = tensor_scale;
  parts.tensor_amax = tensor_amax;
  constexpr std::string_view kRole = "scales";
  if (scales_name.size() < kRole.size()) return;
  const std::size_t role_at = scales_name.size() - kRole.size();
  if (scales_name.compare(role_at, kRole.size(), kRole) != 0) return;
  const std::string prefix = scales_name.substr(0, role_at);
  std::optional<float> scale, amax;
  for (const std::string& path : std::set<std::string>{scales, elements}) {
    const arrays::Extras file =
        files.extras(path, {prefix + "tensor_scale", prefix + "tensor_amax"});
    const Json said = said_about(file, prefix);
    require_same_quantizer(said, choice, quantizer, path);
    const std::optional<float> file_scale = stored_number(file, path, prefix, said, "tensor_scale");
    const std::optional<float> file_amax = stored_number(file, path, prefix, said, "tensor_amax");
    require_same("--tensor-scale" + suffix, tensor_scale, file_scale, path);
    require_same("--tensor-amax" + suffix, tensor_amax, file_amax, path);
    keep_one("tensor_scale", scale, file_scale, *this);
    keep_one("tensor_amax", amax, file_amax, *this);
  }
  if (tensor_scale || tensor_amax || (!scale && !amax)) return;
  parts.tensor_scale = scale;
  parts.tensor_amax = amax;
  parts.is_stored = true;
}

}  // namespace mxe::cli
