// SPDX-License-Identifier: Apache-2.0
#include "sw/checkpoints/layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/numerics/base/printable.h"
#include "model/numerics/files/shallow_json.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/batches.h"

namespace mxe::checkpoints {
namespace {

using Json = nlohmann::json;
using Types = std::vector<std::string_view>;

constexpr std::size_t kMxBlock = 32;
constexpr std::size_t kNvBlock = 16;

bool is_one_of(const std::string& type, const Types& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// `name` without `end`, if it ends so.
std::optional<std::string> without(const std::string& name, std::string_view end) {
  if (name.size() <= end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0) {
    return std::nullopt;
  }
  return name.substr(0, name.size() - end.size());
}

const Types& e8m0_types() {
  static const Types types = {"U8", "F8_E8M0"};
  return types;
}

// torchao writes the parts of the tensor P.W as P._W_qdata, P._W_scale and so on.
struct TorchaoNames {
  std::string tensor;  // P.W
  std::string parts;   // P._W_
};

std::optional<TorchaoNames> torchao_names(const std::string& name) {
  const std::optional<std::string> parts = without(name, "qdata");
  if (!parts || parts->back() != '_') return std::nullopt;
  const std::size_t dot = parts->rfind("._");
  if (dot == std::string::npos || dot + 3 >= parts->size()) return std::nullopt;
  return TorchaoNames{parts->substr(0, dot) + "." + parts->substr(dot + 2, parts->size() - dot - 3),
                      *parts};
}

/// torchao's description of a tensor; null without one.
Json torchao_metadata(const TensorTable& table, const std::string& tensor) {
  const auto text = table.metadata.find(tensor);
  if (text == table.metadata.end()) return {};
  try {
    return numerics::parse_shallow<Json>(text->second);
  } catch (const std::exception&) {
    return {};
  }
}

Json attribute(const Json& metadata, const char* name) {
  if (!metadata.is_object() || !metadata.contains("_data")) return {};
  const Json& data = metadata["_data"];
  return data.is_object() && data.contains(name) ? data[name] : Json();
}

std::optional<FoundLayer> torchao_layer(const TensorTable& table, const std::string& name) {
  const std::optional<TorchaoNames> names = torchao_names(name);
  if (!names) return std::nullopt;
  const Json metadata = torchao_metadata(table, names->tensor);
  const Tensor* scale = table.find(names->parts + "scale");
  std::string type;
  if (metadata.is_object() && metadata.contains("_type") && metadata["_type"].is_string()) {
    type = metadata["_type"].get<std::string>();
  } else if (scale) {
    if (scale->type == "F8_E8M0") type = "MXTensor";
    if (scale->type == "F8_E4M3") type = "NVFP4Tensor";
  }
  const std::string layer = without(names->tensor, ".weight").value_or(names->tensor);
  if (type == "MXTensor") return FoundLayer{layer, Layout::torchao_mx, name};
  if (type == "NVFP4Tensor") return FoundLayer{layer, Layout::torchao_nvfp4, name};
  return std::nullopt;
}

std::optional<FoundLayer> plain_layer(const TensorTable& table, const std::string& name,
                                      const std::string& base, const Tensor& weight) {
  const Tensor* scale = table.find(base + ".weight_scale");
  if (!scale) return std::nullopt;
  const bool is_e8m0 = is_one_of(scale->type, e8m0_types());
  if (is_one_of(weight.type, {"F8_E4M3", "F8_E5M2"})) {
    if (is_e8m0) return FoundLayer{base, Layout::mxfp8, name};
    return std::nullopt;
  }
  if (!is_one_of(weight.type, {"U8", "F4"})) return std::nullopt;
  if (table.find(base + ".weight_scale_2") || scale->type == "F8_E4M3") {
    return FoundLayer{base, Layout::modelopt_nvfp4, name};
  }
  if (!is_e8m0) return std::nullopt;
  constexpr std::size_t kBytes = kMxBlock * 6 / 8;  // of a block of MXFP6; of MXFP4: up to 16
  const bool is_mxfp6 = weight.type == "U8" && !weight.shape.empty() && !scale->shape.empty() &&
                        weight.shape.back() % kBytes == 0 &&
                        weight.shape.back() / kBytes == scale->shape.back();
  return FoundLayer{base, is_mxfp6 ? Layout::quark_mxfp6 : Layout::quark_mxfp4, name};
}

std::optional<FoundLayer> layer_of(const TensorTable& table, const std::string& name,
                                   const Tensor& tensor) {
  if (tensor.type == "MXFP4" || tensor.type == "NVFP4") {
    const Layout layout = tensor.type == "MXFP4" ? Layout::gguf_mxfp4 : Layout::gguf_nvfp4;
    return FoundLayer{without(name, ".weight").value_or(name), layout, name};
  }
  if (const auto base = without(name, ".weight_packed")) {
    const Tensor* scale = table.find(*base + ".weight_scale");
    const bool nvfp4 =
        table.find(*base + ".weight_global_scale") || (scale && scale->type == "F8_E4M3");
    return FoundLayer{
        *base, nvfp4 ? Layout::compressed_tensors_nvfp4 : Layout::compressed_tensors_mxfp4, name};
  }
  for (const char* between : {".", "_"}) {
    const auto base = without(name, between + std::string("blocks"));
    if (base && table.find(*base + between + "scales")) {
      return FoundLayer{*base, Layout::gpt_oss_mxfp4, name};
    }
  }
  if (auto found = torchao_layer(table, name)) return found;
  if (const auto base = without(name, ".weight")) return plain_layer(table, name, *base, tensor);
  return std::nullopt;
}

// The quant_methods that store a layout; empty: any.
Types methods_of(Layout layout) {
  switch (layout) {
    case Layout::modelopt_nvfp4:
      return {"modelopt"};
    case Layout::mxfp8:
      return {"modelopt", "compressed-tensors", "quark"};
    case Layout::quark_mxfp4:
    case Layout::quark_mxfp6:
      return {"quark"};
    case Layout::compressed_tensors_nvfp4:
    case Layout::compressed_tensors_mxfp4:
      return {"compressed-tensors"};
    case Layout::gpt_oss_mxfp4:
      return {"mxfp4"};
    case Layout::torchao_mx:
    case Layout::torchao_nvfp4:
      return {"torchao"};
    case Layout::gguf_mxfp4:
    case Layout::gguf_nvfp4:
      break;
  }
  return {};
}

bool is_known_method(const std::string& method) {
  return is_one_of(method, {"modelopt", "compressed-tensors", "quark", "mxfp4", "torchao"});
}

class LayerReader {
 public:
  LayerReader(const TensorTable& table, const FoundLayer& found, const Configuration& configuration,
              std::optional<std::size_t> expert)
      : table_(table),
        found_(found),
        configuration_(configuration),
        method_(configuration.method),
        expert_(expert) {
    layer_.name = found.name;
    layer_.layout = found.layout;
    layer_.parts.codes_name = found.weight;
  }

  Layer read() {
    check_method();
    weight_ = *table_.find(found_.weight);
    whole_shape_ = element_shape();
    choose_expert();
    const std::string& base = found_.name;
    switch (found_.layout) {
      case Layout::modelopt_nvfp4:
        read_nvfp4("nvfp4-modelopt", base + ".weight_scale");
        set_tensor_scale(base + ".weight_scale_2");
        set_input_scale(base + ".input_scale");
        break;
      case Layout::mxfp8:
        layer_.preset = mxfp8_preset();
        read_fp8();
        read_scales(base + ".weight_scale", e8m0_types(), kMxBlock);
        break;
      case Layout::quark_mxfp4:
        read_mxfp4("quark-torch-even", base + ".weight_scale");
        break;
      case Layout::quark_mxfp6:
        layer_.format = mxfp6_format();
        layer_.preset = "quark-torch-even";
        read_fp6();
        read_scales(base + ".weight_scale", e8m0_types(), kMxBlock);
        break;
      case Layout::compressed_tensors_nvfp4:
        read_nvfp4("nvfp4-compressed-tensors", base + ".weight_scale");
        set_tensor_scale(base + ".weight_global_scale");
        set_input_scale(base + ".input_global_scale");
        break;
      case Layout::compressed_tensors_mxfp4:
        read_mxfp4("ocp", base + ".weight_scale");
        break;
      case Layout::gpt_oss_mxfp4:
        read_gpt_oss();
        break;
      case Layout::torchao_mx:
      case Layout::torchao_nvfp4:
        read_torchao();
        break;
      case Layout::gguf_mxfp4:
      case Layout::gguf_nvfp4:
        read_gguf();
        break;
    }
    read_bias();
    return std::move(layer_);
  }

 private:
  [[noreturn]] static void fail(const Tensor& tensor, const std::string& name,
                                const std::string& what) {
    throw Error(place_of(tensor, name) + what);
  }

  void check_method() const {
    const Types methods = methods_of(found_.layout);
    if (methods.empty() || !is_known_method(method_) || is_one_of(method_, methods)) return;
    fail(*table_.find(found_.weight), found_.weight,
         fmt::format(" is stored as {}, but the model's configuration has the quant_method {} "
                     "(allowed: {})",
                     layout_name(found_.layout), method_, fmt::join(methods, ", ")));
  }

  // Two codes of 4 bits share a byte of U8.
  bool is_packed() const { return weight_.type == "U8" || weight_.type == "F4"; }

  Shape element_shape() const {
    Shape shape = weight_.shape;
    if (found_.layout == Layout::gpt_oss_mxfp4) {
      require_type(weight_, found_.weight, {"U8"});
      if (shape.size() < 2 || shape.back() != kMxBlock / 2) {
        fail(weight_, found_.weight,
             fmt::format(" must be [..., blocks, {}], but is {}", kMxBlock / 2,
                         numerics::shape_text(shape)));
      }
      shape.pop_back();
      shape.back() *= kMxBlock;
      return shape;
    }
    if (weight_.type != "U8" || shape.empty()) return shape;
    shape.back() = found_.layout == Layout::quark_mxfp6 ? shape.back() / 3 * 4 : shape.back() * 2;
    return shape;
  }

  void choose_expert() {
    const std::size_t rank = whole_shape_.size();
    if (rank < 2 || numerics::element_count(whole_shape_) == 0) {
      fail(weight_, found_.weight,
           fmt::format(" must have two axes or more and no axis of 0, but is {}",
                       numerics::shape_text(whole_shape_)));
    }
    layer_.parts.shape = whole_shape_;
    if (!expert_) return;
    if (rank < 3) {
      fail(
          weight_, found_.weight,
          fmt::format(" is one matrix, {}: it has no experts", numerics::shape_text(whole_shape_)));
    }
    if (*expert_ >= whole_shape_[0]) {
      fail(weight_, found_.weight,
           fmt::format(" has no expert {} (allowed: 0 to {})", *expert_, whole_shape_[0] - 1));
    }
    weight_ = part_of(weight_, *expert_);
    layer_.parts.shape.erase(layer_.parts.shape.begin());
  }

  const Tensor& need(const std::string& name, const char* what) const {
    if (const Tensor* tensor = table_.find(name)) return *tensor;
    throw Error(fmt::format("{}: there is no tensor '{}', {} of layer '{}'", weight_.file,
                            one_line(name), what, one_line(found_.name)));
  }

  void require_type(const Tensor& tensor, const std::string& name, const Types& types) const {
    if (is_one_of(tensor.type, types)) return;
    fail(tensor, name,
         fmt::format(" is {} (allowed for {}: {})", tensor.type, layout_name(found_.layout),
                     fmt::join(types, ", ")));
  }

  static void require_shape(const Tensor& tensor, const std::string& name, const Shape& shape) {
    if (tensor.shape == shape) return;
    fail(tensor, name,
         fmt::format(" must be {}, but is {}", numerics::shape_text(shape),
                     numerics::shape_text(tensor.shape)));
  }

  // Codes of 4 bits, the first in the low nibble.
  void read_fp4() {
    require_type(weight_, found_.weight, {"U8", "F4"});
    const std::size_t bytes = weight_.bytes;
    layer_.parts.codes =
        numerics::unpack_codes(weight_.data, 1, 2 * bytes, 4, numerics::NibbleOrder::low, bytes);
  }

  // Codes of 6 bits, four in three bytes, the first in the lowest bits. Rows are whole blocks.
  void read_fp6() {
    const std::size_t bytes = weight_.bytes;
    layer_.parts.codes = numerics::unpack_codes(weight_.data, 1, bytes / 3 * 4, 6,
                                                numerics::NibbleOrder::low, bytes);
  }

  // Both element types of MXFP6 have the same tensors.
  std::string mxfp6_format() const {
    const std::string& type = configuration_.weight_type_of(found_.name);
    if (type == "fp6_e2m3") return "mxfp6_e2m3";
    if (type == "fp6_e3m2") return "mxfp6_e3m2";
    fail(weight_, found_.weight,
         fmt::format(
             " is stored as {}, for which config.json must name the dtype of the weight, but "
             "it names {} (allowed: fp6_e2m3, fp6_e3m2)",
             layout_name(found_.layout), type.empty() ? "none" : one_line(type)));
  }

  void read_fp8() {
    require_type(weight_, found_.weight, {"F8_E4M3", "F8_E5M2"});
    layer_.format = weight_.type == "F8_E4M3" ? "mxfp8_e4m3" : "mxfp8_e5m2";
    layer_.parts.codes.assign(weight_.data, weight_.data + weight_.bytes);
  }

  // Shape of the scales of the whole tensor.
  Shape scale_shape(std::size_t block) const {
    Shape shape = whole_shape_;
    shape.back() = (shape.back() + block - 1) / block;
    return shape;
  }

  void set_scale_codes(const Tensor& whole, const std::string& name) {
    const Tensor scales = expert_ ? part_of(whole, *expert_) : whole;
    layer_.parts.scales_name = name;
    layer_.parts.scale_shape = scales.shape;
    layer_.parts.scale_codes.assign(scales.data, scales.data + scales.bytes);
  }

  void read_scales(const std::string& name, const Types& types, std::size_t block) {
    const Tensor& scales = need(name, "the scales");
    require_type(scales, name, types);
    require_shape(scales, name, scale_shape(block));
    set_scale_codes(scales, name);
  }

  void read_nvfp4(const char* preset, const std::string& scales) {
    layer_.format = "nvfp4";
    layer_.preset = preset;
    read_fp4();
    read_scales(scales, {"F8_E4M3"}, kNvBlock);
  }

  void read_mxfp4(const char* preset, const std::string& scales) {
    layer_.format = "mxfp4_e2m1";
    layer_.preset = preset;
    read_fp4();
    read_scales(scales, e8m0_types(), kMxBlock);
  }

  std::string mxfp8_preset() const {
    const bool e4m3 = weight_.type == "F8_E4M3";
    if (method_ == "quark") return "quark-torch-even";
    return method_ == "compressed-tensors" || !e4m3 ? "ocp" : "modelopt-mxfp8";
  }

  void read_gpt_oss() {
    layer_.format = "mxfp4_e2m1";
    layer_.preset = "ocp";
    read_fp4();
    const bool dot = found_.weight == found_.name + ".blocks";
    read_scales(found_.name + (dot ? ".scales" : "_scales"), e8m0_types(), kMxBlock);
  }

  void read_torchao() {
    const TorchaoNames names = *torchao_names(found_.weight);
    const Json metadata = torchao_metadata(table_, names.tensor);
    const bool nvfp4 = found_.layout == Layout::torchao_nvfp4;
    const bool two_levels = nvfp4 && table_.find(names.parts + "per_tensor_scale");
    std::size_t block = nvfp4 ? kNvBlock : kMxBlock;
    if (const Json said = attribute(metadata, "block_size"); said.is_number_unsigned()) {
      block = said.get<std::size_t>();
    }
    if (nvfp4 ? block != kNvBlock : block < kNvBlock || block > 128) {
      fail(weight_, found_.weight,
           fmt::format(" has blocks of {} (allowed: {})", block, nvfp4 ? "16" : "16 to 128"));
    }
    if (nvfp4) {
      layer_.format = "nvfp4";
      layer_.preset = two_levels ? "nvfp4-torchao2" : "nvfp4-torchao1";
    } else {
      layer_.format = "mxfp4_e2m1";
      layer_.preset = "torchao-floor";
      if (block != kMxBlock) layer_.switches["block_size"] = static_cast<int64_t>(block);
    }
    if (is_packed()) {
      refuse_six_bits(attribute(metadata, "elem_dtype"));
      read_fp4();
    } else if (nvfp4) {
      require_type(weight_, found_.weight, {"U8", "F4"});
    } else {
      read_fp8();
    }
    const Types types = nvfp4 ? Types{"F8_E4M3"} : e8m0_types();
    if (attribute(metadata, "is_swizzled_scales") == true) {
      read_swizzled_scales(names.parts + "scale", types, block);
    } else {
      read_scales(names.parts + "scale", types, block);
    }
    if (two_levels) set_tensor_scale(names.parts + "per_tensor_scale");
    if (nvfp4) set_input_scale(names.parts + "act_per_tensor_scale");
  }

  void refuse_six_bits(const Json& type) const {
    const std::string text = type.is_null() ? "" : type.dump();
    if (text.find("fp6") == std::string::npos) return;
    fail(weight_, found_.weight, " has elements of 6 bits (allowed: 4 and 8 bits)");
  }

  void read_swizzled_scales(const std::string& name, const Types& types, std::size_t block) {
    const Tensor& scales = need(name, "the scales");
    require_type(scales, name, types);
    const Shape shape = scale_shape(block);
    const numerics::AxisView rows = numerics::split_at(shape, shape.size() - 1);
    const std::size_t bytes = numerics::swizzled_size(rows.outer, rows.length);
    if (scales.bytes != bytes) {
      fail(scales, name,
           fmt::format(" has {} bytes, but swizzled scales of {} have {}", scales.bytes,
                       numerics::shape_text(shape), bytes));
    }
    const std::vector<uint8_t> plain =
        numerics::unswizzle_scales(scales.data, rows.outer, rows.length);
    Tensor ordered = scales;
    ordered.shape = shape;
    ordered.data = plain.data();
    ordered.bytes = plain.size();
    set_scale_codes(ordered, name);
  }

  // A block of MXFP4: the scale, then 16 bytes; byte j holds the elements j and j + 16. A block of
  // NVFP4: four scales, then four times 8 bytes; byte j holds the elements j and j + 8.
  void read_gguf() {
    const bool nvfp4 = found_.layout == Layout::gguf_nvfp4;
    const std::size_t scales = nvfp4 ? 4 : 1;
    const std::size_t block = nvfp4 ? kNvBlock : kMxBlock;
    const std::size_t half = block / 2;
    layer_.format = nvfp4 ? "nvfp4" : "mxfp4_e2m1";
    // ggml's values of code 8 are +0.
    layer_.preset = nvfp4 ? "nvfp4-modelopt" : "ocp";
    if (!nvfp4) layer_.switches["unsigned_zero_values"] = true;
    numerics::ArrayParts& parts = layer_.parts;
    parts.scales_name = found_.weight;
    parts.scale_shape = parts.shape;
    parts.scale_shape.back() /= block;
    parts.codes.resize(numerics::element_count(parts.shape));
    const uint8_t* from = weight_.data;
    for (std::size_t at = 0; at < parts.codes.size(); at += scales * block) {
      parts.scale_codes.insert(parts.scale_codes.end(), from, from + scales);
      from += scales;
      for (std::size_t s = 0; s < scales; s++, from += half) {
        for (std::size_t j = 0; j < half; j++) {
          parts.codes[at + s * block + j] = from[j] & 0xF;
          parts.codes[at + s * block + half + j] = from[j] >> 4;
        }
      }
    }
    if (!nvfp4) return;
    parts.tensor_scale = 1;
    if (table_.find(found_.name + ".scale")) set_tensor_scale(found_.name + ".scale");
    set_input_scale(found_.name + ".input_scale");
  }

  // A number for the whole tensor: one, or one for each expert.
  float number(const Tensor& tensor, const std::string& name) const {
    const std::vector<float> all = numbers_of(tensor, name);
    for (const float one : all) {
      if (std::isfinite(one) && one > 0) continue;
      fail(tensor, name, fmt::format(" is {} (allowed: finite numbers above 0)", one));
    }
    if (all.size() == 1) return all[0];
    if (whole_shape_.size() != 3 || all.size() != whole_shape_[0]) {
      fail(tensor, name,
           fmt::format(" must have one element{}, but is {}",
                       whole_shape_.size() == 3
                           ? fmt::format(", or one for each of {} experts", whole_shape_[0])
                           : "",
                       numerics::shape_text(tensor.shape)));
    }
    if (expert_) return all[*expert_];
    if (!std::equal(all.begin() + 1, all.end(), all.begin())) {
      fail(tensor, name,
           fmt::format(" has a number for each expert: choose one expert (allowed: 0 to {})",
                       all.size() - 1));
    }
    return all[0];
  }

  void set_tensor_scale(const std::string& name) {
    layer_.parts.tensor_scale = number(need(name, "the scale of the whole tensor"), name);
  }

  void set_input_scale(const std::string& name) {
    const Tensor* tensor = table_.find(name);
    if (tensor) layer_.input_scale = number(*tensor, name);
  }

  void read_bias() {
    std::string name = found_.name + (found_.weight == found_.name + "_blocks" ? "_bias" : ".bias");
    if (const auto original = without(found_.name, "_weight")) {
      if (found_.layout == Layout::gpt_oss_mxfp4) name = *original + "_bias";
    }
    const Tensor* whole = table_.find(name);
    if (!whole) return;
    Shape shape = whole_shape_;
    shape.pop_back();
    require_shape(*whole, name, shape);
    const Tensor bias = expert_ ? part_of(*whole, *expert_) : *whole;
    layer_.bias = numbers_of(bias, name);
    layer_.bias_shape = bias.shape;
  }

  const TensorTable& table_;
  const FoundLayer& found_;
  const Configuration& configuration_;
  const std::string& method_;
  std::optional<std::size_t> expert_;
  Tensor weight_;      // of the expert, if one is chosen
  Shape whole_shape_;  // of the elements of all experts
  Layer layer_;
};

}  // namespace

std::string_view layout_name(Layout layout) {
  switch (layout) {
    case Layout::modelopt_nvfp4:
      return "ModelOpt NVFP4";
    case Layout::mxfp8:
      return "MXFP8";
    case Layout::quark_mxfp4:
      return "Quark MXFP4";
    case Layout::quark_mxfp6:
      return "Quark MXFP6";
    case Layout::compressed_tensors_nvfp4:
      return "compressed-tensors NVFP4";
    case Layout::compressed_tensors_mxfp4:
      return "compressed-tensors MXFP4";
    case Layout::gpt_oss_mxfp4:
      return "gpt-oss MXFP4";
    case Layout::torchao_mx:
      return "torchao MXTensor";
    case Layout::torchao_nvfp4:
      return "torchao NVFP4Tensor";
    case Layout::gguf_mxfp4:
      return "GGUF MXFP4";
    case Layout::gguf_nvfp4:
      return "GGUF NVFP4";
  }
  return "";
}

const std::string& Configuration::weight_type_of(const std::string& layer) const {
  for (const auto& [pattern, type] : layer_types) {
    if (fnmatch(pattern.c_str(), layer.c_str(), FNM_NOESCAPE) == 0) return type;
  }
  return weight_type;
}

std::vector<FoundLayer> find_layers(const TensorTable& table) {
  std::vector<FoundLayer> layers;
  for (const auto& [name, tensor] : table.tensors) {
    if (auto found = layer_of(table, name, tensor)) layers.push_back(std::move(*found));
  }
  return layers;
}

Layer read_layer(const TensorTable& table, const FoundLayer& found,
                 const Configuration& configuration, std::optional<std::size_t> expert) {
  return LayerReader(table, found, configuration, expert).read();
}

}  // namespace mxe::checkpoints
