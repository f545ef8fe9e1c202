// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/model_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/shallow_json.h"
#include "sw/explore/routing.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::json;

// Layers are numbered in memory. The deepest published models have fewer than 200.
constexpr uint64_t kMostLayers = 10'000;

/// Layers whose attention is limited, if config.json has no layer_types.
enum class NearLayers {
  all,          ///< all, if there is a sliding_window
  upper,        ///< from max_window_layers on, if use_sliding_window
  all_if_used,  ///< all, if use_sliding_window
  pattern,      ///< all but every sliding_window_pattern-th
  chunks,       ///< all but every fourth (no_rope_layers), in chunks of attention_chunk_size
};

/// Layers that have experts, and the keys of their sizes.
enum class ExpertLayers {
  none,
  all,          ///< intermediate_size is that of the experts
  steps,        ///< every decoder_sparse_step-th, but not mlp_only_layers
  after_first,  ///< from first_k_dense_replace on, with n_shared_experts
  interleaved,  ///< every interleave_moe_layer_step-th, with one shared expert
};

struct Family {
  const char* type;
  bool has_latents;
  NearLayers near;
  ExpertLayers experts;
  const char* expert_tensors = "mlp";  ///< nullptr: names of tensors in checkpoints are not known
  const char* defaults = "{}";         ///< of keys that files of this type omit
  uint64_t norms = 2;                  ///< of the width, in each layer
};

constexpr std::array kFamilies = {
    Family{"llama", false, NearLayers::all, ExpertLayers::none},
    Family{"mistral", false, NearLayers::all, ExpertLayers::none},
    Family{"mixtral", false, NearLayers::all, ExpertLayers::all, "block_sparse_moe"},
    Family{"qwen2", false, NearLayers::upper, ExpertLayers::none},
    Family{"qwen3", false, NearLayers::upper, ExpertLayers::none, "mlp",
           R"({"use_qk_norm": true})"},
    Family{"qwen3_moe", false, NearLayers::all_if_used, ExpertLayers::steps, "mlp",
           R"({"use_qk_norm": true})"},
    Family{"deepseek_v3", true, NearLayers::all, ExpertLayers::after_first},
    Family{"kimi_k2", true, NearLayers::all, ExpertLayers::after_first},
    Family{"glm4_moe", false, NearLayers::all, ExpertLayers::after_first, "mlp",
           R"({"partial_rotary_factor": 0.5})"},
    Family{"gpt_oss", false, NearLayers::pattern, ExpertLayers::all, nullptr,
           R"({"sliding_window_pattern": 2, "swiglu_limit": 7.0})"},
    Family{"gemma3_text", false, NearLayers::pattern, ExpertLayers::none, nullptr,
           R"({"sliding_window_pattern": 6, "vocab_size": 262208, "num_attention_heads": 8,
               "num_key_value_heads": 4, "head_dim": 256, "tie_word_embeddings": true,
               "use_qk_norm": true, "hidden_activation": "gelu_pytorch_tanh"})",
           4},
    Family{"llama4_text", false, NearLayers::chunks, ExpertLayers::interleaved, nullptr,
           R"({"use_qk_norm": true})"}};

// Types of files whose text_config is a language model of another type; its images are not counted.
constexpr std::array<std::pair<const char*, const char*>, 3> kAround = {
    {{"gemma3", "gemma3_text"}, {"llama4", "llama4_text"}, {"kimi_k25", "kimi_k2"}}};

// Keys of config.json that do not change the number of multiplications.
constexpr std::array kOtherKeys = {"_attn_implementation_autoset",
                                   "_sliding_window_pattern",
                                   "architectures",
                                   "attention_bias",
                                   "attn_scale",
                                   "attn_temperature_tuning",
                                   "auto_map",
                                   "bad_words_ids",
                                   "bos_token_id",
                                   "chunk_size_feed_forward",
                                   "decoder_start_token_id",
                                   "do_sample",
                                   "eos_token_id",
                                   "ep_size",
                                   "experts_per_token",
                                   "floor_scale",
                                   "id2label",
                                   "initial_context_length",
                                   "label2id",
                                   "max_length",
                                   "max_position_embeddings",
                                   "max_window_layers",
                                   "min_length",
                                   "mlp_bias",
                                   "model_type",
                                   "n_group",
                                   "norm_topk_prob",
                                   "num_beam_groups",
                                   "num_beams",
                                   "num_return_sequences",
                                   "original_max_position_embeddings",
                                   "output_attentions",
                                   "output_hidden_states",
                                   "output_router_logits",
                                   "pad_token_id",
                                   "pretraining_tp",
                                   "qk_head_dim",
                                   "quantization_config",
                                   "query_pre_attn_scalar",
                                   "qkv_bias",
                                   "return_dict",
                                   "rope_interleave",
                                   "rope_local_base_freq",
                                   "rope_parameters",
                                   "rope_scaling",
                                   "rope_theta",
                                   "router_aux_loss_coef",
                                   "sep_token_id",
                                   "seq_aux",
                                   "task_specific_params",
                                   "top_k",
                                   "topk_group",
                                   "use_cache"};

constexpr const char* kInstead =
    "other models are workloads as CSV files, layer,M,N,K,count (docs/exploration.md)";

std::string dumped(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t kMost = 100;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

/// The keys of a JSON object, which counts those that are read.
class Keys {
 public:
  Keys(const Json& json, const std::string& name) : json_(json), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
  }
  bool has(const char* key) {
    read_.insert(key);
    return json_.contains(key) && !json_[key].is_null();
  }
  uint64_t size(const char* key, uint64_t most = kMostElements) { return number(key, 1, most); }
  uint64_t size_or(const char* key, uint64_t other) { return has(key) ? size(key) : other; }
  /// A number that may be 0; 0 if it is missing.
  uint64_t count(const char* key) { return has(key) ? number(key, 0, kMostElements) : 0; }
  bool flag(const char* key, bool other) {
    if (!has(key)) return other;
    if (!json_[key].is_boolean()) {
      fail(fmt::format("{} must be true or false, not {}", key, dumped(json_[key])));
    }
    return json_[key].get<bool>();
  }
  /// A number above 0 and at most 1.
  double share_or(const char* key, double other) {
    if (!has(key)) return other;
    const Json& value = json_[key];
    if (!value.is_number() || !(value.get<double>() > 0 && value.get<double>() <= 1)) {
      fail(fmt::format("{} must be a number above 0 and at most 1, not {}", key, dumped(value)));
    }
    return value.get<double>();
  }
  /// A list of whole numbers; empty if it is missing.
  std::vector<uint64_t> list(const char* key) {
    if (!has(key)) return {};
    const auto is_number = [](const Json& value) { return value.is_number_unsigned(); };
    const Json& values = json_[key];
    if (!values.is_array() || !std::all_of(values.begin(), values.end(), is_number)) {
      fail(fmt::format("{} must be a list of whole numbers, not {}", key, dumped(values)));
    }
    return values.get<std::vector<uint64_t>>();
  }
  const Json& value(const char* key) const { return json_[key]; }

  // Unread keys may describe experts or other layers. Rejects those with a whole number other than
  // 0, a nonempty list or object, or true. Accepts 0, 0.5, [], false and strings.
  void require_known() const {
    for (const auto& [key, value] : json_.items()) {
      const bool counts = value.is_number_integer() ? value != 0
                          : value.is_structured()   ? !value.empty()
                                                    : value == true;
      const auto is_key = [&key = key](const char* other) { return key == other; };
      if (!counts || read_.count(key) != 0 ||
          std::any_of(kOtherKeys.begin(), kOtherKeys.end(), is_key)) {
        continue;
      }
      fail(fmt::format("{} is {}, which may change the products and is not known; {}",
                       printable(key), dumped(value), kInstead));
    }
  }

 private:
  uint64_t number(const char* key, uint64_t least, uint64_t most) {
    if (!has(key)) fail(fmt::format("{} is missing", key));
    const Json& value = json_[key];
    if (!value.is_number_unsigned() || value.get<uint64_t>() < least ||
        value.get<uint64_t>() > most) {
      fail(fmt::format("{} must be a whole number from {} to {}, not {}", key, least, most,
                       dumped(value)));
    }
    return value.get<uint64_t>();
  }

  const Json& json_;
  const std::string& name_;
  std::set<std::string> read_;
};

// Returns config.json's language model: the object itself, or its text_config.
Json text_config_of(Json json, const std::string& name) {
  for (const auto& [type, text_type] : kAround) {
    if (!json.contains("model_type") || json["model_type"] != type) continue;
    if (!json.contains("text_config") || !json["text_config"].is_object()) {
      throw Error(fmt::format("{}: text_config is missing", name));
    }
    Json text = json["text_config"];
    for (const char* key : {"tie_word_embeddings", "vocab_size"}) {
      if (!text.contains(key) && json.contains(key)) text[key] = json[key];
    }
    if (!text.contains("model_type")) text["model_type"] = text_type;
    return text;
  }
  return json;
}

const Family& family_of(const Json& json, const std::string& name) {
  const Json type = json.contains("model_type") ? json["model_type"] : Json();
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    if (type == family.type) return family;
    names.emplace_back(family.type);
  }
  for (const auto& around : kAround) names.emplace_back(around.first);
  throw Error(fmt::format("{}: model_type is {}, but must be one of {}; {}", name,
                          type.is_null() ? "missing" : dumped(type), fmt::join(names, ", "),
                          kInstead));
}

GroupedAttention grouped_attention(Keys& keys, uint64_t width) {
  GroupedAttention attention;
  attention.heads = keys.size("num_attention_heads");
  attention.key_heads = keys.size_or("num_key_value_heads", attention.heads);
  if (attention.heads % attention.key_heads != 0) {
    keys.fail(
        fmt::format("num_attention_heads is {}, but must be a multiple of "
                    "num_key_value_heads, which is {}",
                    attention.heads, attention.key_heads));
  }
  if (!keys.has("head_dim") && width % attention.heads != 0) {
    keys.fail("head_dim is missing, and hidden_size is not a multiple of num_attention_heads");
  }
  attention.head_width = keys.size_or("head_dim", width / attention.heads);
  attention.rope_width = static_cast<uint64_t>(static_cast<double>(attention.head_width) *
                                               keys.share_or("partial_rotary_factor", 1));
  return attention;
}

LatentAttention latent_attention(Keys& keys) {
  for (const char* unused : {"head_dim", "num_key_value_heads"}) keys.has(unused);
  LatentAttention attention;
  attention.heads = keys.size("num_attention_heads");
  attention.query_rank = keys.has("q_lora_rank") ? keys.size("q_lora_rank") : 0;
  attention.rank = keys.size("kv_lora_rank");
  attention.plain_width = keys.size("qk_nope_head_dim");
  attention.rope_width = keys.size("qk_rope_head_dim");
  attention.value_width = keys.size("v_head_dim");
  return attention;
}

using Predicate = std::function<bool(uint64_t layer)>;

// All but every `step`-th layer, counted from 1.
Predicate all_but_every(uint64_t step) {
  return [step](uint64_t layer) { return (layer + 1) % step != 0; };
}

// As above, or by the list of 0 and 1 that `key` names.
Predicate layers_with_positions(Keys& keys, uint64_t layers) {
  const std::vector<uint64_t> list = keys.list("no_rope_layers");
  const uint64_t step = keys.size_or("no_rope_layer_interval", 4);
  if (list.empty()) return all_but_every(step);
  if (list.size() != layers) {
    keys.fail(fmt::format("no_rope_layers has {} layers, but num_hidden_layers is {}", list.size(),
                          layers));
  }
  return [list](uint64_t layer) { return list[layer] != 0; };
}

// Llama 4 rotates queries and keys in some layers, and norms heads in these, without weights.
void read_positions(Keys& keys, const Family& family, LanguageModel& model) {
  const bool some = family.near == NearLayers::chunks;
  const Predicate has_position =
      some ? layers_with_positions(keys, model.layers()) : Predicate([](uint64_t) { return true; });
  for (uint64_t layer = 0; layer < model.layers(); layer++) {
    model.rope_layers += has_position(layer) ? 1u : 0u;
  }
  const bool norms = keys.flag("use_qk_norm", false);
  auto* const grouped = std::get_if<GroupedAttention>(&model.attention);
  if (!grouped) return;
  grouped->head_norm_layers = norms ? model.rope_layers : 0;
  grouped->has_norm_weights = !some;
}

Activation activation_of(Keys& keys) {
  if (keys.has("swiglu_limit")) return Activation::limited_silu;
  for (const char* key : {"hidden_activation", "hidden_act"}) {
    if (!keys.has(key)) continue;
    if (keys.value(key) == "silu") return Activation::silu;
    if (keys.value(key) == "gelu_pytorch_tanh") return Activation::gelu_tanh;
    keys.fail(fmt::format("{} is {}, but must be silu or gelu_pytorch_tanh", key,
                          dumped(keys.value(key))));
  }
  return Activation::silu;
}

/// Reads the tokens that attention covers, and returns the layers in which it does not cover all.
Predicate near_layers(Keys& keys, NearLayers rule, LanguageModel& model) {
  const char* const key = rule == NearLayers::chunks ? "attention_chunk_size" : "sliding_window";
  model.reach_kind = rule == NearLayers::chunks ? Reach::chunk : Reach::window;
  const bool by_flag = rule == NearLayers::upper || rule == NearLayers::all_if_used;
  const bool used = keys.flag("use_sliding_window", !by_flag);
  model.reach = keys.size_or(key, 0);
  const uint64_t first = rule == NearLayers::upper ? keys.count("max_window_layers") : 0;
  if (!used || model.reach == 0) {
    model.reach = 0;
    return [](uint64_t) { return false; };
  }
  if (rule == NearLayers::pattern) return all_but_every(keys.size("sliding_window_pattern"));
  if (rule == NearLayers::chunks) return layers_with_positions(keys, model.layers());
  return [first](uint64_t layer) { return layer >= first; };
}

// layer_types, which newer files have, precedes the rule.
void read_near_layers(Keys& keys, NearLayers rule, LanguageModel& model) {
  Predicate is_near = near_layers(keys, rule, model);
  const char* const near = rule == NearLayers::chunks ? "chunked_attention" : "sliding_attention";
  if (keys.has("layer_types")) {
    const Json& types = keys.value("layer_types");
    if (!types.is_array() || types.size() != model.layers()) {
      keys.fail(fmt::format("layer_types must be a list of {} layers (num_hidden_layers), not {}",
                            model.layers(), dumped(types)));
    }
    for (const Json& type : types) {
      if (type == "full_attention" || (type == near && model.reach != 0)) continue;
      keys.fail(fmt::format("layer_types has {}, but must have full_attention{}{}; {}",
                            dumped(type),
                            model.reach != 0 ? " or " : " (no size of a window is in the file)",
                            model.reach != 0 ? near : "", kInstead));
    }
    is_near = [&types, near](uint64_t layer) { return types[layer] == near; };
  }
  for (uint64_t layer = 0; layer < model.layers(); layer++) {
    model.is_near[layer] = is_near(layer);
  }
}

// Returns whether `layer` is in the list, or by the rule if there is no list.
Predicate listed_or_every(std::vector<uint64_t> list, bool has_list, uint64_t step) {
  if (!has_list) return [step](uint64_t layer) { return (layer + 1) % step == 0; };
  return [list = std::set<uint64_t>(list.begin(), list.end())](uint64_t layer) {
    return list.count(layer) != 0;
  };
}

/// Reads the sizes of experts and returns the layers that have them.
Predicate expert_layers(Keys& keys, ExpertLayers rule, LanguageModel& model) {
  Experts& experts = model.experts;
  const auto read = [&](const char* number, const char* hidden) {
    experts.count = keys.size(number, kMostExperts);
    experts.per_token = keys.size("num_experts_per_tok", experts.count);
    experts.hidden = keys.size(hidden);
  };
  switch (rule) {
    case ExpertLayers::none:
      return [](uint64_t) { return false; };
    case ExpertLayers::all:
      read("num_local_experts", "intermediate_size");
      return [](uint64_t) { return true; };
    case ExpertLayers::steps: {
      read("num_experts", "moe_intermediate_size");
      const Predicate only = listed_or_every(keys.list("mlp_only_layers"), true, 1);
      const Predicate every = listed_or_every({}, false, keys.size_or("decoder_sparse_step", 1));
      return [only, every](uint64_t layer) { return !only(layer) && every(layer); };
    }
    case ExpertLayers::after_first: {
      read("n_routed_experts", "moe_intermediate_size");
      const uint64_t shared = keys.count("n_shared_experts");
      experts.shared_hidden = shared * experts.hidden;
      if (shared > kMostExperts || experts.shared_hidden > kMostElements) {
        keys.fail(fmt::format("n_shared_experts is {}, which is too many", shared));
      }
      const uint64_t first = keys.count("first_k_dense_replace");
      const uint64_t step = keys.size_or("moe_layer_freq", 1);
      model.predictors = keys.count("num_nextn_predict_layers");
      return [first, step](uint64_t layer) { return layer >= first && layer % step == 0; };
    }
    case ExpertLayers::interleaved:
      read("num_local_experts", "intermediate_size");
      experts.shared_hidden = experts.hidden;
      const uint64_t step = keys.size_or("interleave_moe_layer_step", 1);
      return listed_or_every(keys.list("moe_layers"), keys.has("moe_layers"), step);
  }
  return {};
}

}  // namespace

LanguageModel parse_model_config(std::string_view text, const std::string& name) {
  const Json file = numerics::parse_json_file<Json>(text, name);
  if (!file.is_object()) throw Error(fmt::format("{}:1: not a JSON object", name));
  Json json = text_config_of(file, name);
  const Family& family = family_of(json, name);
  const Json defaults = Json::parse(family.defaults);
  for (const auto& [key, value] : defaults.items()) {
    if (!json.contains(key) || json[key].is_null()) json[key] = value;
  }
  Keys keys(json, name);
  LanguageModel model;
  const uint64_t layers = keys.size("num_hidden_layers", kMostLayers);
  model.has_experts.resize(layers);
  model.is_near.resize(layers);
  model.width = keys.size("hidden_size");
  model.vocabulary = keys.size("vocab_size");
  model.hidden = keys.size(family.experts == ExpertLayers::interleaved ? "intermediate_size_mlp"
                                                                       : "intermediate_size");
  model.tied = keys.flag("tie_word_embeddings", false);
  if (family.has_latents) {
    model.attention = latent_attention(keys);
  } else {
    model.attention = grouped_attention(keys, model.width);
  }
  model.norms = family.norms;
  model.activation = activation_of(keys);
  read_positions(keys, family, model);
  read_near_layers(keys, family.near, model);
  const Predicate has_experts = expert_layers(keys, family.experts, model);
  for (uint64_t layer = 0; layer < layers; layer++) model.has_experts[layer] = has_experts(layer);
  model.has_known_tensors = family.expert_tensors && json == file;
  if (family.expert_tensors) model.expert_tensors = family.expert_tensors;
  keys.require_known();
  return model;
}

}  // namespace mxe::explore
