// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/model_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/files/shallow_json.h"
#include "sw/explore/model_config.h"

namespace mxe::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Shape = std::vector<std::size_t>;
using Shapes = std::map<std::string, Shape>;

constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::string_view kLayer = "model.layers.", kWeight = ".weight";

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

using Expect = std::function<void(const std::string& tensor, const Shape& shape)>;

void expect_attention(const LanguageModel& model, const std::string& layer, const Expect& expect) {
  const std::string part = layer + "self_attn.";
  const auto matrix = [&](const char* tensor, std::size_t rows, std::size_t columns) {
    expect(part + tensor + ".weight", {rows, columns});
  };
  if (const auto* grouped = std::get_if<GroupedAttention>(&model.attention)) {
    matrix("q_proj", grouped->heads * grouped->head_width, model.width);
    matrix("k_proj", grouped->key_heads * grouped->head_width, model.width);
    matrix("v_proj", grouped->key_heads * grouped->head_width, model.width);
    matrix("o_proj", model.width, grouped->heads * grouped->head_width);
    return;
  }
  const auto& latent = std::get<LatentAttention>(model.attention);
  const std::size_t queries = latent.heads * (latent.plain_width + latent.rope_width);
  if (latent.query_rank != 0) {
    matrix("q_a_proj", latent.query_rank, model.width);
    matrix("q_b_proj", queries, latent.query_rank);
  } else {
    matrix("q_proj", queries, model.width);
  }
  matrix("kv_a_proj_with_mqa", latent.rank + latent.rope_width, model.width);
  matrix("kv_b_proj", latent.heads * (latent.plain_width + latent.value_width), latent.rank);
  matrix("o_proj", model.width, latent.heads * latent.value_width);
}

void expect_network(const std::string& part, const std::array<const char*, 3>& names,
                    std::size_t width, std::size_t hidden, const Expect& expect) {
  expect(fmt::format("{}{}.weight", part, names[0]), {hidden, width});
  expect(fmt::format("{}{}.weight", part, names[1]), {hidden, width});
  expect(fmt::format("{}{}.weight", part, names[2]), {width, hidden});
}

constexpr std::array kGateUpDown{"gate_proj", "up_proj", "down_proj"};
constexpr std::array kMixtralGateUpDown{"w1", "w3", "w2"};

void expect_layer(const LanguageModel& model, uint64_t number, const Expect& expect) {
  const std::string layer = fmt::format("{}{}.", kLayer, number);
  expect_attention(model, layer, expect);
  if (!model.has_experts[number]) {
    return expect_network(layer + "mlp.", kGateUpDown, model.width, model.hidden, expect);
  }
  const Experts& experts = model.experts;
  const std::string part = layer + model.expert_tensors + ".";
  const bool is_mixtral = model.expert_tensors != "mlp";
  expect(part + "gate.weight", {experts.count, model.width});
  for (uint64_t i = 0; i < experts.count; i++) {
    expect_network(fmt::format("{}experts.{}.", part, i),
                   is_mixtral ? kMixtralGateUpDown : kGateUpDown, model.width, experts.hidden,
                   expect);
  }
  if (experts.shared_hidden == 0) return;
  expect_network(part + "shared_experts.", kGateUpDown, model.width, experts.shared_hidden, expect);
}

// True if the tensor is of a layer that predicts further tokens: one after the other layers.
bool is_of_predictor(const LanguageModel& model, const std::string& tensor) {
  if (tensor.compare(0, kLayer.size(), kLayer) != 0) return false;
  uint64_t layer = 0;
  std::from_chars(tensor.data() + kLayer.size(), tensor.data() + tensor.size(), layer);
  return layer >= model.layers() && layer - model.layers() < model.predictors;
}

bool is_matrix(const std::string& tensor, const Shape& shape) {
  return shape.size() > 1 && tensor.size() > kWeight.size() &&
         tensor.compare(tensor.size() - kWeight.size(), kWeight.size(), kWeight) == 0;
}

std::string read_text(const fs::path& path) {
  constexpr std::size_t kMostText = 100'000'000;
  return numerics::read_text(path, kMostText);
}

// A .safetensors file begins with the length of its header, in 8 bytes.
Shapes read_shapes(const fs::path& path) {
  constexpr uint64_t kPrefix = 8, kMostHeader = 100'000'000;
  const std::vector<uint8_t> prefix = numerics::read_file(path, kPrefix);
  uint64_t length = 0;
  if (prefix.size() == kPrefix) std::memcpy(&length, prefix.data(), kPrefix);
  const std::vector<uint8_t> header =
      numerics::read_file(path, kPrefix + std::min(length, kMostHeader));
  return numerics::safetensors_shapes(header.data(), header.size(), path.string());
}

Shapes read_all_shards(const fs::path& index) {
  Shapes shapes;
  for (const std::string& shard : model_shards(read_text(index), index.string())) {
    shapes.merge(read_shapes(index.parent_path() / shard));
  }
  return shapes;
}

// Example: llama3_8b_prefill_s2048, llama3_8b_decode_b1_kv2048.
std::string name_of_run(const std::string& model, const RunSize& run) {
  const uint64_t batch = run.batch.value_or(1);
  if (!run.sequence) return fmt::format("{}_decode_b{}_kv{}", model, batch, *run.context);
  std::string name = model + "_prefill";
  if (batch != 1) name += fmt::format("_b{}", batch);
  name += fmt::format("_s{}", *run.sequence);
  if (run.context) name += fmt::format("_kv{}", *run.context);
  return name;
}

}  // namespace

std::set<std::string> model_shards(std::string_view text, const std::string& name) {
  const Json json = numerics::parse_json_file<Json>(text, name);
  if (!json.is_object()) throw Error(fmt::format("{}:1: not a JSON object", name));
  std::set<std::string> shards;
  if (json.contains("weight_map") && json["weight_map"].is_object()) {
    for (const auto& [tensor, file] : json["weight_map"].items()) {
      if (!file.is_string()) continue;
      const auto shard = file.get<std::string>();
      const bool is_name = fs::path(shard).filename() == shard && shard != "-";
      if (!is_name || printable(shard) != shard) {
        throw Error(fmt::format("{}: {} is not the name of a file in the same folder", name,
                                quoted(shard)));
      }
      shards.insert(shard);
    }
  }
  if (shards.empty()) {
    throw Error(fmt::format("{}: weight_map with the files of tensors is missing", name));
  }
  return shards;
}

void check_model_tensors(const LanguageModel& model, const Shapes& shapes,
                         const std::string& name) {
  if (!model.has_known_tensors) return;
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", name, what));
  };
  std::set<std::string> expected;
  // Stops at the first tensor that is missing: a wrong config.json may name more than fit in
  // memory.
  const Expect expect = [&](const std::string& tensor, const Shape& shape) {
    const auto found = shapes.find(tensor);
    if (found == shapes.end()) fail(fmt::format("tensor '{}' is missing", tensor));
    if (found->second != shape) {
      fail(fmt::format("tensor '{}' is [{}], but by config.json it is [{}]", tensor,
                       fmt::join(found->second, ", "), fmt::join(shape, ", ")));
    }
    expected.insert(tensor);
  };
  const Shape vocabulary{model.vocabulary, model.width};
  expect("model.embed_tokens.weight", vocabulary);
  if (!model.tied || shapes.count("lm_head.weight") != 0) expect("lm_head.weight", vocabulary);
  for (uint64_t layer = 0; layer < model.layers(); layer++) expect_layer(model, layer, expect);
  for (const auto& [tensor, shape] : shapes) {
    if (is_matrix(tensor, shape) && expected.count(tensor) == 0 &&
        !is_of_predictor(model, tensor)) {
      fail(fmt::format("tensor {} does not belong to a network of config.json's kind and layers",
                       quoted(tensor)));
    }
  }
}

Workload read_language_model(const std::string& path, const RunSize& run) {
  if (!run.dimensions.empty()) throw Error(fmt::format("{}: --dim is for ONNX models", path));
  const fs::path given = fs::absolute(path).lexically_normal();
  const bool whole = fs::is_directory(given);
  // has_filename() is false for "model/".
  const fs::path folder = whole && given.has_filename() ? given : given.parent_path();
  const std::string file = given.filename().string();
  const bool weights = !whole && given.extension() == ".safetensors";
  const bool index = !whole && file == kIndexName;
  const fs::path beside = whole ? fs::path(path) : fs::path(path).parent_path();
  const fs::path config_path = whole || weights || index ? beside / "config.json" : fs::path(path);
  const LanguageModel model = parse_model_config(read_text(config_path), config_path.string());
  if (weights) {
    check_model_tensors(model, read_shapes(path), path);
  } else if (index || (whole && fs::exists(beside / kIndexName))) {
    const fs::path index_path = beside / kIndexName;
    check_model_tensors(model, read_all_shards(index_path), index_path.string());
  } else if (whole && fs::exists(beside / "model.safetensors")) {
    const fs::path one = beside / "model.safetensors";
    check_model_tensors(model, read_shapes(one), one.string());
  }
  Workload workload = language_workload(model, run, config_path.string());
  workload.name = name_of_run(folder.filename().string(), run);
  return workload;
}

}  // namespace mxe::explore
