// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/llama.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/files/shallow_json.h"

namespace mxe::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Shape = std::vector<std::size_t>;
using Shapes = std::map<std::string, Shape>;

constexpr std::array<std::string_view, 4> kModelTypes = {"llama", "mistral", "qwen2", "qwen3"};
constexpr std::array<std::string_view, 11> kReadKeys = {"head_dim",
                                                        "hidden_size",
                                                        "intermediate_size",
                                                        "model_type",
                                                        "num_hidden_layers",
                                                        "num_attention_heads",
                                                        "num_key_value_heads",
                                                        "sliding_window",
                                                        "tie_word_embeddings",
                                                        "use_sliding_window",
                                                        "vocab_size"};

// Keys of config.json that do not change the number of multiplications.
constexpr std::array<std::string_view, 36> kOtherKeys = {"_attn_implementation_autoset",
                                                         "architectures",
                                                         "attention_bias",
                                                         "auto_map",
                                                         "bad_words_ids",
                                                         "bos_token_id",
                                                         "chunk_size_feed_forward",
                                                         "decoder_start_token_id",
                                                         "eos_token_id",
                                                         "do_sample",
                                                         "id2label",
                                                         "label2id",
                                                         "layer_types",
                                                         "max_length",
                                                         "max_position_embeddings",
                                                         "max_window_layers",
                                                         "min_length",
                                                         "mlp_bias",
                                                         "num_beam_groups",
                                                         "num_beams",
                                                         "num_return_sequences",
                                                         "original_max_position_embeddings",
                                                         "output_attentions",
                                                         "output_hidden_states",
                                                         "pad_token_id",
                                                         "pretraining_tp",
                                                         "quantization_config",
                                                         "qkv_bias",
                                                         "return_dict",
                                                         "rope_parameters",
                                                         "rope_scaling",
                                                         "rope_theta",
                                                         "sep_token_id",
                                                         "task_specific_params",
                                                         "top_k",
                                                         "use_cache"};

constexpr const char* kIndexName = "model.safetensors.index.json";

// Multiplies sizes of at most kMostElements. Throws Error if the product exceeds kMostElements.
uint64_t times(std::initializer_list<uint64_t> sizes, const char* what, const std::string& name) {
  uint64_t product = 1;
  for (const uint64_t size : sizes) {
    product *= size;
    if (product > kMostElements) {
      throw Error(fmt::format("{}: {} would be more than {}", name, what, kMostElements));
    }
  }
  return product;
}

Json parse_json(std::string_view text, const std::string& name) {
  Json json = numerics::parse_json_file<Json>(text, name);
  if (!json.is_object()) throw Error(fmt::format("{}:1: not a JSON object", name));
  return json;
}

std::string dumped(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t kMost = 100;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

class Keys {
 public:
  Keys(const Json& json, const std::string& name) : json_(json), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
  }
  bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }
  uint64_t size(const char* key) const {
    if (!has(key)) fail(fmt::format("{} is missing", key));
    const Json& value = json_[key];
    if (!value.is_number_unsigned() || value.get<uint64_t>() == 0 ||
        value.get<uint64_t>() > kMostElements) {
      fail(fmt::format("{} must be a whole number from 1 to {}, not {}", key, kMostElements,
                       dumped(value)));
    }
    return value.get<uint64_t>();
  }
  uint64_t size_or(const char* key, uint64_t other) const { return has(key) ? size(key) : other; }
  bool flag(const char* key, bool other) const {
    if (!has(key)) return other;
    if (!json_[key].is_boolean()) {
      fail(fmt::format("{} must be true or false, not {}", key, dumped(json_[key])));
    }
    return json_[key].get<bool>();
  }
  void require_kind() const {
    const std::string type = has("model_type") ? dumped(json_["model_type"]) : "missing";
    const auto names_it = [&](std::string_view known) {
      return type == fmt::format("\"{}\"", known);
    };
    if (!std::any_of(kModelTypes.begin(), kModelTypes.end(), names_it)) {
      fail(fmt::format("model_type is {}, but must be one of {}; {}", type,
                       fmt::join(kModelTypes, ", "), kInstead));
    }
  }
  // Unknown keys may describe experts or other layers. Rejects those with a whole number other than
  // 0, a nonempty list or object, or true. Accepts 0, 0.5, [], false and strings.
  void require_known() const {
    const auto is_in = [](const auto& keys, const std::string& key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    for (const auto& [key, value] : json_.items()) {
      const bool counts = value.is_number_integer() ? value != 0
                          : value.is_structured()   ? !value.empty()
                                                    : value == true;
      if (!counts || is_in(kReadKeys, key) || is_in(kOtherKeys, key)) continue;
      fail(fmt::format("{} is {}, which may change the products and is not known; {}",
                       printable(key), dumped(value), kInstead));
    }
    if (!has("layer_types")) return;
    for (const Json& type : json_["layer_types"]) {
      if (type == "full_attention" || type == "sliding_attention") continue;
      fail(fmt::format("layer_types has {}, but must have full_attention or sliding_attention; {}",
                       dumped(type), kInstead));
    }
  }

 private:
  static constexpr const char* kInstead =
      "other models are workloads as CSV files, layer,M,N,K,count (docs/exploration.md has one of "
      "experts)";

  const Json& json_;
  const std::string& name_;
};

// Shapes of a layer's tensors in a checkpoint, by name without "model.layers.N.".
Shapes layer_shapes(const LlamaConfig& config) {
  const std::size_t queries = config.heads * config.head_width;
  const std::size_t keys = config.key_heads * config.head_width;
  return {{"self_attn.q_proj.weight", {queries, config.width}},
          {"self_attn.k_proj.weight", {keys, config.width}},
          {"self_attn.v_proj.weight", {keys, config.width}},
          {"self_attn.o_proj.weight", {config.width, queries}},
          {"mlp.gate_proj.weight", {config.hidden, config.width}},
          {"mlp.up_proj.weight", {config.hidden, config.width}},
          {"mlp.down_proj.weight", {config.width, config.hidden}}};
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
  for (const std::string& shard : llama_shards(read_text(index), index.string())) {
    shapes.merge(read_shapes(index.parent_path() / shard));
  }
  return shapes;
}

}  // namespace

std::set<std::string> llama_shards(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  std::set<std::string> shards;
  if (json.contains("weight_map") && json["weight_map"].is_object()) {
    for (const auto& [tensor, file] : json["weight_map"].items()) {
      if (!file.is_string()) continue;
      const auto shard = file.get<std::string>();
      const bool is_name = fs::path(shard).filename() == shard && shard != "-";
      if (!is_name || printable(shard) != shard) {
        throw Error(fmt::format("{}: {} is not the name of a file in the same folder", name,
                                dumped(json["weight_map"][tensor])));
      }
      shards.insert(shard);
    }
  }
  if (shards.empty()) {
    throw Error(fmt::format("{}: weight_map with the files of tensors is missing", name));
  }
  return shards;
}

LlamaConfig parse_llama_config(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  const Keys keys(json, name);
  keys.require_kind();
  keys.require_known();
  LlamaConfig config;
  config.layers = keys.size("num_hidden_layers");
  config.width = keys.size("hidden_size");
  config.hidden = keys.size("intermediate_size");
  config.vocabulary = keys.size("vocab_size");
  config.heads = keys.size("num_attention_heads");
  config.key_heads = keys.size_or("num_key_value_heads", config.heads);
  if (config.heads % config.key_heads != 0) {
    keys.fail(
        fmt::format("num_attention_heads is {}, but must be a multiple of "
                    "num_key_value_heads, which is {}",
                    config.heads, config.key_heads));
  }
  if (!keys.has("head_dim") && config.width % config.heads != 0) {
    keys.fail("head_dim is missing, and hidden_size is not a multiple of num_attention_heads");
  }
  config.head_width = keys.size_or("head_dim", config.width / config.heads);
  config.tied = keys.flag("tie_word_embeddings", false);
  if (keys.flag("use_sliding_window", true)) config.window = keys.size_or("sliding_window", 0);
  return config;
}

void check_llama_tensors(const LlamaConfig& config, const Shapes& shapes, const std::string& name) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", name, what));
  };
  Shapes expected{{"model.embed_tokens.weight", {config.vocabulary, config.width}}};
  if (!config.tied || shapes.count("lm_head.weight") != 0) {
    expected["lm_head.weight"] = {config.vocabulary, config.width};
  }
  const Shapes in_layer = layer_shapes(config);
  for (uint64_t layer = 0; layer < config.layers; layer++) {
    for (const auto& [tensor, shape] : in_layer) {
      const std::string full = fmt::format("model.layers.{}.{}", layer, tensor);
      // Checked here: a wrong config.json may name more layers than fit in memory.
      if (shapes.count(full) == 0) fail(fmt::format("tensor '{}' is missing", full));
      expected[full] = shape;
    }
  }
  for (const auto& [tensor, shape] : expected) {
    const auto found = shapes.find(tensor);
    if (found == shapes.end()) fail(fmt::format("tensor '{}' is missing", tensor));
    if (found->second != shape) {
      fail(fmt::format("tensor '{}' is [{}], but by config.json it is [{}]", tensor,
                       fmt::join(found->second, ", "), fmt::join(shape, ", ")));
    }
  }
  constexpr std::string_view kWeight = ".weight";
  for (const auto& [tensor, shape] : shapes) {
    const bool weight =
        tensor.size() > kWeight.size() &&
        tensor.compare(tensor.size() - kWeight.size(), kWeight.size(), kWeight) == 0;
    if (weight && shape.size() > 1 && expected.count(tensor) == 0) {
      fail(fmt::format("tensor {} does not belong to a network of config.json's kind and layers",
                       dumped(Json(tensor))));
    }
  }
}

Workload llama_workload(const LlamaConfig& config, const RunSize& run, const std::string& name) {
  if (!run.sequence && !run.context) {
    throw Error(fmt::format(
        "{}: needs --sequence N, the tokens of a prompt, or --context N, the tokens that the next "
        "token attends to",
        name));
  }
  const uint64_t batch = run.batch.value_or(1);
  const uint64_t tokens = run.sequence.value_or(1), past = run.context.value_or(tokens);
  if (past < tokens) {
    throw Error(
        fmt::format("--context is {}, but must be at least --sequence, which is {}", past, tokens));
  }
  if (config.window != 0 && past > config.window) {
    throw Error(
        fmt::format("{}: attention is limited to {} tokens (sliding_window); a context of {} is "
                    "not supported",
                    name, config.window, past));
  }
  const auto size = [&](std::initializer_list<uint64_t> sizes) {
    return times(sizes, "a size", name);
  };
  const auto count = [&](std::initializer_list<uint64_t> counts) {
    return times(counts, "a count", name);
  };
  const uint64_t rows = size({batch, tokens});
  const uint64_t shared = size({config.heads / config.key_heads, tokens});
  const uint64_t queries = size({config.heads, config.head_width});
  const uint64_t attentions = count({config.layers, config.key_heads, batch});
  const auto layer = [](const char* label, uint64_t m, uint64_t n, uint64_t k, uint64_t times_a_run,
                        StoredB b = StoredB::weights) {
    Layer one;
    one.b = b;
    one.name = label;
    one.m = m;
    one.n = n;
    one.k = k;
    one.count = times_a_run;
    return one;
  };
  Workload workload;
  workload.name = name;
  workload.items = rows;
  workload.item_name = "tokens";
  workload.layers = {
      layer("q_proj", rows, queries, config.width, config.layers),
      layer("kv_proj", rows, size({2, config.key_heads, config.head_width}), config.width,
            config.layers),
      layer("attn_scores", shared, past, config.head_width, attentions, StoredB::kv_cache),
      layer("attn_context", shared, config.head_width, past, attentions, StoredB::kv_cache),
      layer("out_proj", rows, config.width, queries, config.layers),
      layer("gate_up_proj", rows, size({2, config.hidden}), config.width, config.layers),
      layer("down_proj", rows, config.width, config.hidden, config.layers),
      layer("lm_head", batch, config.vocabulary, config.width, 1)};
  return workload;
}

namespace {

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

Workload read_llama(const std::string& path, const RunSize& run) {
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
  const LlamaConfig config = parse_llama_config(read_text(config_path), config_path.string());
  if (weights) {
    check_llama_tensors(config, read_shapes(path), path);
  } else if (index || (whole && fs::exists(beside / kIndexName))) {
    const fs::path index_path = beside / kIndexName;
    check_llama_tensors(config, read_all_shards(index_path), index_path.string());
  } else if (whole && fs::exists(beside / "model.safetensors")) {
    const fs::path one = beside / "model.safetensors";
    check_llama_tensors(config, read_shapes(one), one.string());
  }
  Workload workload = llama_workload(config, run, config_path.string());
  workload.name = name_of_run(folder.filename().string(), run);
  return workload;
}

}  // namespace mxe::explore
