// SPDX-License-Identifier: Apache-2.0
// Language models: read from config.json, compared with published numbers of parameters, and
// checked against the headers of the weights.
#include "sw/explore/language_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"
#include "sw/explore/model_config.h"
#include "sw/explore/model_file.h"
#include "sw/explore/model_folder.h"

namespace mxe::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Shapes = std::map<std::string, std::vector<std::size_t>>;

const Json k8B{
    {"model_type", "llama"},   {"hidden_size", 4096},          {"intermediate_size", 14336},
    {"num_hidden_layers", 32}, {"num_attention_heads", 32},    {"num_key_value_heads", 8},
    {"vocab_size", 128256},    {"tie_word_embeddings", false}, {"torch_dtype", "bfloat16"}};
const Json k70B = [] {
  Json json = k8B;
  json.update({{"hidden_size", 8192},
               {"intermediate_size", 28672},
               {"num_hidden_layers", 80},
               {"num_attention_heads", 64}});
  return json;
}();

LanguageModel parsed(const Json& json) { return parse_model_config(json.dump(), "config.json"); }

Json with(Json json, const char* key, const Json& value) {
  json[key] = value;
  return json;
}

template <typename Function>
void expect_error(const std::string& message, Function function) {
  try {
    function();
    FAIL() << "no error, but expected: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

RunSize run_of(std::optional<uint64_t> batch, std::optional<uint64_t> sequence,
               std::optional<uint64_t> context) {
  RunSize run;
  run.batch = batch;
  run.sequence = sequence;
  run.context = context;
  return run;
}

TEST(LanguageModel, TheShippedWorkloadsAreThoseOfItsConfig) {
  struct Run {
    const char* file;
    const Json& config;
    RunSize size;
  };
  const Run runs[] = {{"llama3_8b_prefill_s512", k8B, run_of({}, 512, {})},
                      {"llama3_8b_prefill_s2048", k8B, run_of({}, 2048, {})},
                      {"llama3_8b_prefill_s8192", k8B, run_of(1, 8192, 8192)},
                      {"llama3_8b_decode_b1_kv2048", k8B, run_of({}, {}, 2048)},
                      {"llama3_8b_decode_b1_kv8192", k8B, run_of(1, 1, 8192)},
                      {"llama3_8b_decode_b16_kv2048", k8B, run_of(16, {}, 2048)},
                      {"llama3_8b_decode_b64_kv2048", k8B, run_of(64, {}, 2048)},
                      {"llama3_70b_prefill_s2048", k70B, run_of({}, 2048, {})},
                      {"llama3_70b_decode_b16_kv2048", k70B, run_of(16, {}, 2048)}};
  for (const Run& run : runs) {
    SCOPED_TRACE(run.file);
    const Workload shipped = read_workload(fmt::format("{}/{}.csv", MXE_WORKLOADS, run.file));
    const Workload ours = language_workload(parsed(run.config), run.size, "llama");
    EXPECT_EQ(ours.items, shipped.items);
    EXPECT_EQ(ours.item_name, shipped.item_name);
    ASSERT_EQ(ours.layers.size(), shipped.layers.size());
    for (std::size_t i = 0; i < ours.layers.size(); i++) {
      const Layer &a = ours.layers[i], &b = shipped.layers[i];
      EXPECT_EQ(std::tie(a.name, a.m, a.n, a.k, a.count, a.b),
                std::tie(b.name, b.m, b.n, b.k, b.count, b.b));
    }
  }
}

TEST(LanguageModel, KeysThatMayChangeTheProducts) {
  const std::pair<const char*, Json> kBad[] = {{"num_experts", 128},
                                               {"num_local_experts", 8},
                                               {"n_routed_experts", 256},
                                               {"num_experts_per_tok", 2},
                                               {"moe_intermediate_size", 768},
                                               {"kv_lora_rank", 512},
                                               {"mamba_d_state", 16},
                                               {"num_nextn_predict_layers", 1},
                                               {"vision_config", {{"hidden_size", 1280}}},
                                               {"block_configs", {1, 2}},
                                               {"is_encoder_decoder", true},
                                               {"cross_attention_layers", {3, 8}}};
  for (const auto& [key, value] : kBad) {
    expect_error(
        fmt::format("config.json: {} is {}, which may change the products and is not known; "
                    "other models are workloads as CSV files, layer,M,N,K,count",
                    key, value.dump()),
        [&] { parsed(with(k8B, key, value)); });
  }
  Json mixed = with(k8B, "num_hidden_layers", 2);
  mixed["layer_types"] = {"full_attention", "linear_attention"};
  expect_error("config.json: layer_types has \"linear_attention\", but must have full_attention",
               [&] { parsed(mixed); });
  mixed["layer_types"] = {"full_attention"};
  expect_error("config.json: layer_types must be a list of 2 layers (num_hidden_layers), not",
               [&] { parsed(mixed); });
  mixed["layer_types"] = {"full_attention", "sliding_attention"};
  expect_error("but must have full_attention (no size of a window is in the file)",
               [&] { parsed(mixed); });
  expect_error(
      "model_type is \"qwen3_5_moe\", but must be one of llama, mistral, mixtral, qwen2, qwen3, "
      "qwen3_moe, deepseek_v3, kimi_k2, glm4_moe, gpt_oss, gemma3_text, llama4_text, gemma3, "
      "llama4, kimi_k25; other models are workloads as CSV files",
      [&] { parsed(with(k8B, "model_type", "qwen3_5_moe")); });
  // Keys of real Llama, Mistral and Qwen files that the reader ignores.
  Json others = k8B;
  others.update({{"architectures", {"Qwen3ForCausalLM"}},
                 {"attention_bias", false},
                 {"attention_dropout", 0.0},
                 {"bos_token_id", 151643},
                 {"eos_token_id", {151645, 151643}},
                 {"hidden_act", "silu"},
                 {"initializer_range", 0.02},
                 {"max_position_embeddings", 40960},
                 {"max_window_layers", 36},
                 {"mlp_bias", true},
                 {"num_experts", 0},
                 {"num_local_experts", nullptr},
                 {"pretraining_tp", 1},
                 {"pruned_heads", Json::object()},
                 {"quantization_config", {{"bits", 4}}},
                 {"rms_norm_eps", 1e-6},
                 {"rope_scaling", {{"factor", 8.0}, {"rope_type", "llama3"}}},
                 {"rope_theta", 1000000},
                 {"sliding_window", nullptr},
                 {"transformers_version", "4.51.0"},
                 {"unsloth_version", "2025.1"},
                 {"use_cache", true},
                 {"use_sliding_window", false}});
  others["layer_types"] = std::vector<std::string>(32, "full_attention");
  EXPECT_EQ(parsed(others).hidden, 14336u);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const Json kPublished = Json::parse(text_of(fs::path(MXE_MODELS) / "published.json")).at("models");

LanguageModel shipped(const std::string& folder) {
  return parse_model_config(text_of(fs::path(MXE_MODELS) / folder / "config.json"), folder);
}

// Compares a number of parameters with the published one, which is rounded or truncated to units.
void expect_published(const Json& published, const std::map<std::string, double>& counted) {
  double sum = 0;
  for (const std::string part : published.at("counts")) sum += counted.at(part);
  const double unit = published.at("unit").get<double>() * 1e9;
  const double error = sum - published.at("billion").get<double>() * 1e9;
  const bool truncated = published.value("truncated", false);
  EXPECT_LE(error, truncated ? unit : unit / 2) << sum;
  EXPECT_GE(error, truncated ? 0 : -unit / 2) << sum;
}

TEST(LanguageModel, PublishedParameters) {
  ASSERT_EQ(kPublished.size(), 15u);
  for (const Json& one : kPublished) {
    SCOPED_TRACE(one.at("name"));
    const LanguageModel model = shipped(one.at("folder"));
    const Parameters parameters = parameters_of(model);
    const Json& published = one.at("published");
    const std::map<std::string, double> counted{{"embedding", parameters.embedding},
                                                {"output", parameters.output},
                                                {"layers", parameters.layers},
                                                {"active_layers", parameters.active_layers},
                                                {"predictors", parameters.predictors},
                                                {"active_predictors", parameters.active_predictors},
                                                {"vision", published.value("vision", 0.0)}};
    expect_published(published.at("total"), counted);
    if (published.contains("active")) expect_published(published.at("active"), counted);
    if (published.contains("kv_bf16_bytes")) {
      EXPECT_EQ(2 * cache_elements_of(model).all, published.at("kv_bf16_bytes"));
    }
  }
  // README_WEIGHTS.md of DeepSeek-V3: 11.5 billion, 1.5 billion used with the output layer, both
  // without the projection of two vectors to one.
  const Parameters v3 = parameters_of(shipped("deepseek_v3"));
  const double projection = 2 * 7168. * 7168;
  EXPECT_NEAR(v3.predictors - projection, 11.5e9, 0.05e9);
  EXPECT_NEAR(v3.active_predictors + v3.output - projection, 1.5e9, 0.05e9);
}

double weight_macs(const Workload& workload, bool with_output) {
  double sum = 0;
  for (const Layer& layer : workload.layers) {
    if (layer.b == StoredB::weights && (with_output || layer.name != "lm_head")) {
      sum += layer.macs();
    }
  }
  return sum;
}

// Parameters and products are computed separately: a token multiplies each weight that it uses
// once.
TEST(LanguageModel, ProductsMultiplyTheParametersOfEachToken) {
  for (const Json& one : kPublished) {
    SCOPED_TRACE(one.at("name"));
    const LanguageModel model = shipped(one.at("folder"));
    const Parameters parameters = parameters_of(model);
    const double output = parameters.active() - parameters.active_layers;
    const Workload decode = language_workload(model, run_of({}, {}, 5000), "decode");
    EXPECT_EQ(weight_macs(decode, true), parameters.active());
    for (const char* routing : {"uniform", "zipf:1.2"}) {
      RunSize run = run_of(3, 700, {});
      if (model.expert_layers() != 0) run.routing = routing;
      const Workload prompt = language_workload(model, run, "prompt");
      EXPECT_EQ(weight_macs(prompt, false), 2100 * parameters.active_layers);
      EXPECT_EQ(weight_macs(prompt, true), 2100 * parameters.active_layers + 3 * output);
    }
  }
}

struct Product {
  std::string name;
  std::size_t m, n, k;
  uint64_t count;
};

// Expects the products of attention, those whose names begin with `prefix`.
void expect_products(const Workload& workload, const std::string& prefix,
                     const std::vector<Product>& expected) {
  std::vector<std::string> found, wanted;
  const auto text = [](const auto& one) {
    return fmt::format("{} {} {} {} x {}", one.name, one.m, one.n, one.k, one.count);
  };
  for (const Layer& layer : workload.layers) {
    if (layer.name.rfind(prefix, 0) == 0) found.push_back(text(layer));
  }
  for (const Product& product : expected) wanted.push_back(text(product));
  EXPECT_EQ(found, wanted);
}

TEST(LanguageModel, WindowsLimitTheKeys) {
  const LanguageModel model = shipped("gpt_oss_20b");  // 24 layers, every other one of 128 tokens
  EXPECT_EQ(model.near_layers(), 12u);
  EXPECT_EQ(cache_elements_of(model).near, cache_elements_of(model).all / 2);
  const auto scores = [&](const RunSize& run, const std::vector<Product>& expected) {
    expect_products(language_workload(model, run, "gpt_oss"), "attn_scores", expected);
  };
  scores(run_of(2, {}, 1000),
         {{"attn_scores", 8, 1000, 64, 192}, {"attn_scores_window_1x128", 8, 128, 64, 192}});
  scores(run_of({}, {}, 128), {{"attn_scores", 8, 128, 64, 192}});
  scores(run_of({}, 300, {}), {{"attn_scores", 2400, 300, 64, 96},
                               {"attn_scores_window_128x128", 1024, 128, 64, 96},
                               {"attn_scores_window_128x255", 1024, 255, 64, 96},
                               {"attn_scores_window_44x171", 352, 171, 64, 96}});
  scores(run_of({}, 100, 1000),
         {{"attn_scores", 800, 1000, 64, 96}, {"attn_scores_window_100x227", 800, 227, 64, 96}});
  expect_products(
      language_workload(model, run_of({}, {}, 1000), "gpt_oss"), "attn_context",
      {{"attn_context", 8, 64, 1000, 96}, {"attn_context_window_1x128", 8, 64, 128, 96}});
  // Gemma 3: every sixth layer is global. Mistral: all are limited.
  EXPECT_EQ(shipped("gemma3_27b").near_layers(), 62u - 10);
  EXPECT_FALSE(shipped("gemma3_27b").is_near[5]);
  EXPECT_EQ(shipped("mistral_7b").near_layers(), 32u);
  // Qwen: those from max_window_layers on, if use_sliding_window.
  Json qwen = with(k8B, "model_type", "qwen3");
  qwen.update({{"sliding_window", 64}, {"max_window_layers", 30}});
  EXPECT_EQ(parsed(qwen).near_layers(), 0u);
  EXPECT_EQ(parsed(with(qwen, "use_sliding_window", true)).near_layers(), 2u);
}

TEST(LanguageModel, ChunksLimitTheKeys) {
  const LanguageModel model = shipped("llama4_scout");  // 48 layers, every fourth without chunks
  EXPECT_EQ(model.near_layers(), 36u);
  const auto scores = [&](const RunSize& run, const std::vector<Product>& expected) {
    expect_products(language_workload(model, run, "llama4"), "attn_scores", expected);
  };
  scores(run_of({}, {}, 8192), {{"attn_scores", 5, 8192, 128, 384}});
  scores(run_of({}, {}, 8200),
         {{"attn_scores", 5, 8200, 128, 96}, {"attn_scores_chunk_1x8", 5, 8, 128, 288}});
  scores(run_of({}, {}, 16384),
         {{"attn_scores", 5, 16384, 128, 96}, {"attn_scores_chunk_1x8192", 5, 8192, 128, 288}});
  scores(run_of({}, 20000, 25000), {{"attn_scores", 100000, 25000, 128, 96},
                                    {"attn_scores_chunk_3192x8192", 15960, 8192, 128, 288},
                                    {"attn_scores_chunk_8192x8192", 40960, 8192, 128, 576},
                                    {"attn_scores_chunk_424x424", 2120, 424, 128, 288}});
  Json config = Json::parse(text_of(fs::path(MXE_MODELS) / "llama4_scout/config.json"));
  config["text_config"]["no_rope_layers"] = std::vector<int>(48, 1);
  EXPECT_EQ(parsed(config).near_layers(), 48u);
  config["text_config"]["no_rope_layers"] = {1, 0};
  expect_error("no_rope_layers has 2 layers, but num_hidden_layers is 48", [&] { parsed(config); });
}

TEST(LanguageModel, LatentAttentionOfBothPhases) {
  const LanguageModel model = shipped("deepseek_v3");
  const Workload decode = language_workload(model, run_of(2, {}, 1000), "v3");
  expect_products(decode, "q_",
                  {{"q_a_proj", 2, 1536, 7168, 61},
                   {"q_b_proj", 2, 24576, 1536, 61},
                   {"q_absorb", 2, 512, 128, 61 * 128}});
  expect_products(decode, "kv_", {{"kv_a_proj", 2, 576, 7168, 61}});
  expect_products(decode, "attn_",
                  {{"attn_scores", 128, 1000, 576, 122}, {"attn_context", 128, 512, 1000, 122}});
  expect_products(decode, "v_", {{"v_absorb", 2, 128, 512, 61 * 128}});
  expect_products(decode, "out_", {{"out_proj", 2, 7168, 16384, 61}});
  EXPECT_EQ(decode.layers[4].b, StoredB::kv_cache);
  EXPECT_EQ(decode.notes[2], "latent attention: absorbed, all heads share the cached latents");

  RunSize run = run_of(2, 100, 1000);
  const Workload prompt = language_workload(model, run, "v3");
  expect_products(prompt, "kv_b_proj", {{"kv_b_proj", 2000, 32768, 512, 61}});
  expect_products(prompt, "attn_",
                  {{"attn_scores", 100, 1000, 192, 61 * 128 * 2},
                   {"attn_context", 100, 128, 1000, 61 * 128 * 2}});
  EXPECT_EQ(prompt.notes[2], "latent attention: expanded to keys and values of each head");
  run.latent = "absorbed";
  expect_products(
      language_workload(model, run, "v3"), "attn_",
      {{"attn_scores", 12800, 1000, 576, 122}, {"attn_context", 12800, 512, 1000, 122}});
  run.latent = "both";
  expect_error("--latent is 'both'; allowed: absorbed, expanded",
               [&] { language_workload(model, run, "v3"); });
  EXPECT_EQ(decode.notes[0],
            "671 billion parameters, 36.62 billion used for a token; predictors of further "
            "tokens: 1, not run, 11.61 billion");
  EXPECT_EQ(decode.notes[1], "keys and values of a token: 70.3 kB in BF16, 36.2 kB in MXFP8");
}

TEST(LanguageModel, LayersWithExperts) {
  const auto layers = [](const std::string& folder) {
    const LanguageModel model = shipped(folder);
    return std::pair(model.layers(), model.expert_layers());
  };
  EXPECT_EQ(layers("deepseek_v3"), std::pair(61ul, 58ul));
  EXPECT_EQ(layers("llama4_scout"), std::pair(48ul, 48ul));
  EXPECT_EQ(layers("llama4_maverick"), std::pair(48ul, 24ul));
  EXPECT_EQ(layers("gemma3_27b"), std::pair(62ul, 0ul));
  Json qwen = Json::parse(text_of(fs::path(MXE_MODELS) / "qwen3_30b_a3b/config.json"));
  qwen.update({{"decoder_sparse_step", 2}, {"mlp_only_layers", {1, 2, 3}}});
  EXPECT_EQ(parsed(qwen).expert_layers(), 22u);
  expect_error("mlp_only_layers must be a list of whole numbers, not [-1]",
               [&] { parsed(with(qwen, "mlp_only_layers", {-1})); });
  expect_error("num_experts must be a whole number from 1 to 65536, not 2147483648",
               [&] { parsed(with(qwen, "num_experts", kMostElements)); });
  expect_error("num_experts_per_tok must be a whole number from 1 to 128, not 129",
               [&] { parsed(with(qwen, "num_experts_per_tok", 129)); });

  const Workload prompt = language_workload(shipped("qwen3_30b_a3b"), run_of({}, 512, {}), "qwen");
  expect_products(prompt, "router", {{"router", 512, 128, 2048, 48}});
  expect_products(prompt, "expert_",
                  {{"expert_gate_up_m32", 32, 1536, 2048, 48 * 128},
                   {"expert_down_m32", 32, 2048, 768, 48 * 128}});
  EXPECT_EQ(prompt.notes[2],
            "experts: routing uniform; used in each layer: 128 of 128; rows of each: 32");
  const Workload decode = language_workload(shipped("deepseek_v3"), run_of(3, {}, 64), "v3");
  // 256 * (1 - (1 - 8 / 256)^3) = 23.3 experts have 24 rows.
  expect_products(
      decode, "expert_gate_up",
      {{"expert_gate_up_m1", 1, 4096, 7168, 58 * 22}, {"expert_gate_up_m2", 2, 4096, 7168, 58}});
  expect_products(
      decode, "shared_",
      {{"shared_gate_up_proj", 3, 4096, 7168, 58}, {"shared_down_proj", 3, 7168, 2048, 58}});
  expect_products(decode, "gate_up", {{"gate_up_proj", 3, 36864, 7168, 3}});
}

TEST(LanguageModel, TheEndOfALongerPrompt) {
  const Workload end = language_workload(parsed(k8B), run_of(2, 100, 500), "llama");
  EXPECT_EQ(end.items, 200u);
  EXPECT_EQ(end.layers[2].m, 4u * 100);
  EXPECT_EQ(end.layers[2].n, 500u);
  EXPECT_EQ(end.layers[2].count, 32u * 8 * 2);
  EXPECT_EQ(end.layers[7].m, 2u);
}

// Names and shapes of the weights of a model, computed independently of the reader.
Shapes tensors_of(const Json& json) {
  const std::size_t width = json["hidden_size"], hidden = json["intermediate_size"];
  const std::size_t keys = width / json["num_attention_heads"].get<std::size_t>() *
                           json["num_key_value_heads"].get<std::size_t>();
  Shapes shapes{{"model.embed_tokens.weight", {json["vocab_size"], width}},
                {"lm_head.weight", {json["vocab_size"], width}},
                {"model.norm.weight", {width}}};
  for (int i = 0; i < json["num_hidden_layers"]; i++) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    shapes[layer + "input_layernorm.weight"] = {width};
    shapes[layer + "post_attention_layernorm.weight"] = {width};
    for (const char* name : {"q_proj", "o_proj"}) {
      shapes[layer + "self_attn." + name + ".weight"] = {width, width};
    }
    for (const char* name : {"k_proj", "v_proj"}) {
      shapes[layer + "self_attn." + name + ".weight"] = {keys, width};
    }
    for (const char* name : {"gate_proj", "up_proj"}) {
      shapes[layer + "mlp." + name + ".weight"] = {hidden, width};
    }
    shapes[layer + "mlp.down_proj.weight"] = {width, hidden};
  }
  return shapes;
}

TEST(LanguageModel, TensorsThatConfigDoesNotName) {
  const LanguageModel config = parsed(k8B);
  const Shapes good = tensors_of(k8B);
  const auto check = [&](const Shapes& shapes) {
    return [&config, shapes] { check_model_tensors(config, shapes, "model.safetensors"); };
  };
  check(good)();
  Shapes bad = good;
  bad.erase("model.layers.31.mlp.up_proj.weight");
  expect_error("model.safetensors: tensor 'model.layers.31.mlp.up_proj.weight' is missing",
               check(bad));
  bad = good;
  bad["model.layers.7.self_attn.k_proj.weight"] = {4096, 4096};
  expect_error(
      "tensor 'model.layers.7.self_attn.k_proj.weight' is [4096, 4096], but by config.json it is "
      "[1024, 4096]",
      check(bad));
  bad = good;
  bad["model.layers.32.mlp.up_proj.weight"] = {14336, 4096};
  expect_error("tensor \"model.layers.32.mlp.up_proj.weight\" does not belong to", check(bad));
  bad = good;
  bad["model.layers.0.mlp.gate.weight"] = {8, 4096};
  expect_error("tensor \"model.layers.0.mlp.gate.weight\" does not belong to", check(bad));
  // Tied weights may be repeated or omitted; all others must exist.
  bad = good;
  bad.erase("lm_head.weight");
  expect_error("tensor 'lm_head.weight' is missing", check(bad));
  check_model_tensors(parsed(with(k8B, "tie_word_embeddings", true)), bad, "model.safetensors");
  check_model_tensors(parsed(with(k8B, "tie_word_embeddings", true)), good, "model.safetensors");
}

// A model of two layers: latent attention, then experts from layer 1 on, and a predictor.
TEST(LanguageModel, TensorsOfExpertsAndLatents) {
  const Json json{{"model_type", "deepseek_v3"},
                  {"hidden_size", 64},
                  {"intermediate_size", 96},
                  {"num_hidden_layers", 2},
                  {"num_attention_heads", 2},
                  {"vocab_size", 100},
                  {"q_lora_rank", 24},
                  {"kv_lora_rank", 40},
                  {"qk_nope_head_dim", 16},
                  {"qk_rope_head_dim", 8},
                  {"v_head_dim", 12},
                  {"n_routed_experts", 2},
                  {"num_experts_per_tok", 1},
                  {"n_shared_experts", 2},
                  {"moe_intermediate_size", 32},
                  {"first_k_dense_replace", 1},
                  {"num_nextn_predict_layers", 1}};
  Shapes good{{"model.embed_tokens.weight", {100, 64}}, {"lm_head.weight", {100, 64}}};
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    good[layer + "self_attn.q_a_proj.weight"] = {24, 64};
    good[layer + "self_attn.q_b_proj.weight"] = {48, 24};
    good[layer + "self_attn.kv_a_proj_with_mqa.weight"] = {48, 64};
    good[layer + "self_attn.kv_b_proj.weight"] = {56, 40};
    good[layer + "self_attn.o_proj.weight"] = {64, 24};
  }
  const auto add_network = [&](const std::string& part, std::size_t hidden,
                               const std::array<std::string, 3>& names) {
    good[part + names[0] + ".weight"] = good[part + names[1] + ".weight"] = {hidden, 64};
    good[part + names[2] + ".weight"] = {64, hidden};
  };
  const std::array<std::string, 3> kNames{"gate_proj", "up_proj", "down_proj"};
  add_network("model.layers.0.mlp.", 96, kNames);
  good["model.layers.1.mlp.gate.weight"] = {2, 64};
  for (const char* expert : {"0", "1"}) {
    add_network(fmt::format("model.layers.1.mlp.experts.{}.", expert), 32, kNames);
  }
  add_network("model.layers.1.mlp.shared_experts.", 64, kNames);
  good["model.layers.2.eh_proj.weight"] = {64, 128};
  const LanguageModel model = parsed(json);
  check_model_tensors(model, good, "v3");
  for (const auto& [tensor, shape] : good) {
    Shapes bad = good;
    bad.erase(tensor);
    if (tensor == "model.layers.2.eh_proj.weight") {
      check_model_tensors(model, bad, "v3");
    } else {
      expect_error("v3: tensor '" + tensor + "' is missing",
                   [&] { check_model_tensors(model, bad, "v3"); });
    }
  }
  Shapes bad = good;
  bad["model.layers.3.eh_proj.weight"] = {64, 128};
  expect_error("tensor \"model.layers.3.eh_proj.weight\" does not belong to",
               [&] { check_model_tensors(model, bad, "v3"); });

  // Mixtral's names; models whose names are not known are not checked.
  Json mixtral = with(with(k8B, "model_type", "mixtral"), "num_local_experts", 1);
  mixtral.update({{"num_experts_per_tok", 1}, {"num_hidden_layers", 1}});
  good = tensors_of(mixtral);
  for (const std::string& name : kNames) good.erase("model.layers.0.mlp." + name + ".weight");
  const std::string part = "model.layers.0.block_sparse_moe.";
  good[part + "gate.weight"] = {1, 4096};
  good[part + "experts.0.w1.weight"] = good[part + "experts.0.w3.weight"] = {14336, 4096};
  good[part + "experts.0.w2.weight"] = {4096, 14336};
  check_model_tensors(parsed(mixtral), good, "mixtral");
  good.erase(part + "experts.0.w3.weight");
  expect_error("experts.0.w3.weight' is missing",
               [&] { check_model_tensors(parsed(mixtral), good, "mixtral"); });
  check_model_tensors(shipped("gpt_oss_20b"), {}, "gpt_oss");
  check_model_tensors(shipped("llama4_scout"), {}, "llama4");
}

TEST(LanguageModel, BadConfigs) {
  const std::pair<std::string, const char*> kBad[] = {
      {"", "config.json:1: not valid JSON"},
      {"{\n\"hidden_size\": }", "config.json:2: not valid JSON"},
      {"[1]", "config.json:1: not a JSON object"},
      {std::string(100000, '['), "config.json: nested too deeply"},
      {R"({"model_type": "llama", "hidden_size": 1e999})", "config.json: a number is too large"},
      {"{}", "model_type is missing, but must be one of llama, mistral,"},
      {with(k8B, "model_type", "mixtral").dump(), "config.json: num_local_experts is missing"},
      {with(k8B, "model_type", "gemma3").dump(), "config.json: text_config is missing"},
      {with(k8B, "num_hidden_layers", 1000000000000).dump(),
       "num_hidden_layers must be a whole number from 1 to 10000, not 1000000000000"},
      {R"({"model_type": "llama"})", "config.json: num_hidden_layers is missing"},
      {with(k8B, "hidden_size", 0).dump(), "hidden_size must be a whole number from 1 to"},
      {with(k8B, "hidden_size", -4).dump(), "not -4"},
      {with(k8B, "vocab_size", 1e30).dump(), "vocab_size must be a whole number"},
      {with(k8B, "vocab_size", nullptr).dump(), "vocab_size is missing"},
      {with(k8B, "num_key_value_heads", 5).dump(),
       "num_attention_heads is 32, but must be a multiple of num_key_value_heads, which is 5"},
      {with(k8B, "hidden_size", 4097).dump(),
       "head_dim is missing, and hidden_size is not a multiple"},
      {with(k8B, "tie_word_embeddings", "no").dump(), "tie_word_embeddings must be true or false"}};
  for (const auto& [text, message] : kBad) {
    SCOPED_TRACE(text.substr(0, 200));
    expect_error(message, [&text = text] { parse_model_config(text, "config.json"); });
  }
  EXPECT_EQ(std::get<GroupedAttention>(parsed(with(k8B, "head_dim", 64)).attention).head_width,
            64u);
}

TEST(LanguageModel, RunsThatAreTooMuch) {
  const LanguageModel config = parsed(k8B);
  const auto of = [](const LanguageModel& one, const RunSize& run) {
    return [one, run] { language_workload(one, run, "llama"); };
  };
  expect_error("llama: needs --sequence N", of(config, run_of(4, {}, {})));
  expect_error("--context is 5, but must be at least --sequence, which is 6",
               of(config, run_of({}, 6, 5)));
  expect_error("llama: a size would be more than 2147483648",
               of(config, run_of(1u << 20, 1u << 20, {})));
  expect_error("llama: a count would be more", of(config, run_of(kMostElements, {}, 1)));
  RunSize run = run_of({}, 512, {});
  run.latent = "absorbed";
  expect_error("llama: has no latent attention, so --latent is not for it", of(config, run));
  run = run_of({}, 512, {});
  run.routing_seed = 2;
  expect_error("llama: has no experts, so --routing is not for it", of(config, run));
}

class LanguageModelFiles : public testing::Test {
 protected:
  LanguageModelFiles() {
    std::string made = (fs::temp_directory_path() / "mxe_llama_XXXXXX").string();
    folder_ = mkdtemp(made.data());
    write("config.json", k8B.dump());
  }
  ~LanguageModelFiles() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // Writes only the header, because timing needs no weights.
  void write_header(const std::string& name, const Shapes& shapes) {
    Json header{{"__metadata__", {{"format", "pt"}}}};
    std::size_t at = 0;
    for (const auto& [tensor, shape] : shapes) {
      std::size_t bytes = 2;
      for (const std::size_t size : shape) bytes *= size;
      header[tensor] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
      at += bytes;
    }
    const std::string text = header.dump();
    std::string prefix(8, '\0');
    for (std::size_t i = 0; i < 8; i++) prefix[i] = static_cast<char>(text.size() >> (8 * i));
    write(name, prefix + text);
  }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }
  Workload read(const std::string& name) {
    return read_language_model(path(name), run_of({}, 512, {}));
  }

  fs::path folder_;
};

TEST_F(LanguageModelFiles, ConfigAloneOneFileAndShards) {
  const std::string name = folder_.filename().string() + "_prefill_s512";
  for (const char* file : {"", "config.json"}) EXPECT_EQ(read(file).name, name);
  EXPECT_EQ(read_language_model(path() + "/", run_of(3, {}, 7)).name,
            folder_.filename().string() + "_decode_b3_kv7");

  Shapes shapes = tensors_of(k8B);
  write_header("model.safetensors", shapes);
  for (const char* file : {"", "model.safetensors"}) EXPECT_EQ(read(file).layers.size(), 8u);

  Shapes second;
  second.insert(shapes.extract("lm_head.weight"));
  write_header("one.safetensors", shapes);
  write_header("two.safetensors", second);
  Json index{{"weight_map", {{"lm_head.weight", "two.safetensors"}}}};
  for (const auto& shape : shapes) index["weight_map"][shape.first] = "one.safetensors";
  write("model.safetensors.index.json", index.dump());
  for (const char* file : {"", "model.safetensors.index.json"}) {
    EXPECT_EQ(read(file).layers.size(), 8u);
  }
  expect_error("one.safetensors: tensor 'lm_head.weight' is missing",
               [&] { read("one.safetensors"); });
  fs::remove(folder_ / "two.safetensors");
  expect_error(path("two.safetensors") + ": cannot open: No such file", [&] { read(""); });
  for (const std::string bad : {"../two.safetensors", "-"}) {
    index["weight_map"]["lm_head.weight"] = bad;
    write("model.safetensors.index.json", index.dump());
    expect_error("\"" + bad + "\" is not the name of a file in the same folder", [&] { read(""); });
  }
  write("model.safetensors.index.json", "{}");
  expect_error("model.safetensors.index.json: weight_map with the files", [&] { read(""); });
}

TEST_F(LanguageModelFiles, DamagedFiles) {
  const Shapes shapes = tensors_of(k8B);
  write_header("model.safetensors", shapes);
  std::ifstream file(folder_ / "model.safetensors", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  for (const std::size_t size : {0u, 7u, 8u, 9u, 1000u}) {
    write("model.safetensors", bytes.substr(0, size));
    expect_error("model.safetensors: ", [&] { read(""); });
  }
  expect_error("model.safetensors: tensor 'lm_head.weight': not a natural number", [&] {
    const std::size_t at = bytes.find("[128256");
    write("model.safetensors", bytes.replace(at, 7, "[-28256"));
    read("");
  });
  fs::remove(folder_ / "config.json");
  expect_error(path("config.json") + ": cannot open: No such file", [&] { read(""); });
  expect_error("cannot open: ", [&] { read("none.json"); });
}

}  // namespace
}  // namespace mxe::explore
