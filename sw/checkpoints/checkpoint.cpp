// SPDX-License-Identifier: Apache-2.0
#include "sw/checkpoints/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"
#include "sw/checkpoints/gguf.h"

namespace mxe::checkpoints {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // the order of Quark's patterns matters
namespace fs = std::filesystem;

constexpr std::size_t kMostJson = std::size_t{1} << 28;  // bytes

bool has_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

template <typename T>
T read_json(const fs::path& path) {
  return numerics::parse_json_file<T>(numerics::read_text(path.string(), kMostJson), path.string());
}

template <typename T>
T member(const T& json, const char* name) {
  return json.is_object() && json.contains(name) ? json[name] : T();
}

std::string text_of(const OrderedJson& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

/// The dtype of the weights in one of Quark's configurations of layers.
std::string weight_type(const OrderedJson& layer) {
  return text_of(member(member(layer, "weight"), "dtype"));
}

Configuration configuration_of(const OrderedJson& json) {
  Configuration found;
  found.method = text_of(member(json, "quant_method"));
  found.weight_type = weight_type(member(json, "global_quant_config"));
  const OrderedJson layers = member(json, "layer_quant_config");
  if (!layers.is_object()) return found;
  for (const auto& [pattern, layer] : layers.items()) {
    const std::string type = weight_type(layer);
    if (!type.empty()) found.layer_types.emplace_back(pattern, type);
  }
  return found;
}

/// The configuration in a folder; empty without one.
Configuration configuration_in(const fs::path& folder) {
  if (has_file(folder / "config.json")) {
    const OrderedJson json =
        member(read_json<OrderedJson>(folder / "config.json"), "quantization_config");
    if (member(json, "quant_method").is_string()) return configuration_of(json);
  }
  Configuration found;
  if (has_file(folder / "hf_quant_config.json")) {
    const OrderedJson json = read_json<OrderedJson>(folder / "hf_quant_config.json");
    found.method = text_of(member(member(json, "producer"), "name"));
  }
  return found;
}

/// The file that a folder's name stands for.
std::string file_in(const fs::path& folder) {
  for (const char* name : {"model.safetensors.index.json", "model.safetensors"}) {
    if (has_file(folder / name)) return (folder / name).string();
  }
  throw Error(fmt::format(
      "{}: no checkpoint in this folder (allowed: model.safetensors.index.json, model.safetensors)",
      folder.string()));
}

}  // namespace

Checkpoint::Checkpoint(const std::string& path) : path_(path) {
  std::error_code none;
  if (fs::is_directory(path, none)) path_ = file_in(path);
  if (fs::path(path_).extension() == ".json") {
    add_shards(path_);
  } else {
    add_file(MappedFile(path_), path_);
  }
  layers_ = find_layers(table_);
  if (!layers_.empty()) configuration_ = configuration_in(fs::path(path_).parent_path());
}

Checkpoint::Checkpoint(std::vector<uint8_t> bytes, const std::string& name,
                       Configuration configuration)
    : path_(name), configuration_(std::move(configuration)) {
  add_file(MappedFile(std::move(bytes)), name);
  layers_ = find_layers(table_);
}

void Checkpoint::add_file(MappedFile bytes, const std::string& name) {
  files_.push_back(std::move(bytes));
  const MappedFile& file = files_.back();
  if (is_gguf(file.data(), file.size())) {
    add_gguf(file.data(), file.size(), name, table_);
  } else {
    add_safetensors(file.data(), file.size(), name, table_);
  }
}

void Checkpoint::add_shards(const std::string& index) {
  const Json map = member(read_json<Json>(index), "weight_map");
  if (!map.is_object()) throw Error(fmt::format("{}: has no object 'weight_map'", index));
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : map.items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : "";
    if (name.empty() || fs::path(name).filename() != name) {
      throw Error(
          fmt::format("{}: tensor '{}' is in no file of this folder", index, one_line(tensor)));
    }
    shards.insert(name);
  }
  for (const std::string& shard : shards) {
    const std::string path = (fs::path(index).parent_path() / shard).string();
    add_file(MappedFile(path), path);
  }
}

Layer Checkpoint::read(const std::string& name, std::optional<std::size_t> expert) const {
  for (const FoundLayer& layer : layers_) {
    if (layer.name == name || layer.name + ".weight" == name || layer.weight == name) {
      return read(layer, expert);
    }
  }
  constexpr std::size_t kShown = 20;
  std::vector<std::string> names;
  for (const FoundLayer& layer : layers_) {
    if (names.size() == kShown) {
      names.emplace_back("...");
      break;
    }
    names.push_back(one_line(layer.name));
  }
  if (names.empty()) {
    throw Error(fmt::format("{}: no layer is stored in a layout that MXE reads", path_));
  }
  throw Error(fmt::format("{}: there is no layer '{}' (allowed: {})", path_, one_line(name),
                          fmt::join(names, ", ")));
}

Layer Checkpoint::read(const FoundLayer& layer, std::optional<std::size_t> expert) const {
  return read_layer(table_, layer, configuration_, expert);
}

}  // namespace mxe::checkpoints
