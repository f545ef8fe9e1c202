// SPDX-License-Identifier: Apache-2.0
// Models like Llama: read from config.json, checked against the headers of the weights.
#include "sw/explore/llama.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"

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

LlamaConfig parsed(const Json& json) { return parse_llama_config(json.dump(), "config.json"); }

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

TEST(Llama, TheShippedWorkloadsAreThoseOfItsConfig) {
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
    const Workload ours = llama_workload(parsed(run.config), run.size, "llama");
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

TEST(Llama, KeysThatMayChangeTheProducts) {
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
  expect_error("config.json: layer_types has \"linear_attention\", but must have full_attention or",
               [&] {
                 parsed(with(k8B, "layer_types", {"full_attention", "linear_attention"}));
               });
  expect_error(
      "must be one of llama, mistral, qwen2, qwen3; other models are workloads as CSV files",
      [&] { parsed(with(k8B, "model_type", "qwen3_moe")); });
  // Keys of real Llama, Mistral and Qwen files that the reader ignores.
  Json others = k8B;
  others.update({{"architectures", {"Qwen3ForCausalLM"}},
                 {"attention_bias", false},
                 {"attention_dropout", 0.0},
                 {"bos_token_id", 151643},
                 {"eos_token_id", {151645, 151643}},
                 {"hidden_act", "silu"},
                 {"initializer_range", 0.02},
                 {"layer_types", {"full_attention", "full_attention"}},
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
  EXPECT_EQ(parsed(others).hidden, 14336u);
}

TEST(Llama, TheEndOfALongerPrompt) {
  const Workload end = llama_workload(parsed(k8B), run_of(2, 100, 500), "llama");
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

TEST(Llama, TensorsThatConfigDoesNotName) {
  const LlamaConfig config = parsed(k8B);
  const Shapes good = tensors_of(k8B);
  const auto check = [&](const Shapes& shapes) {
    return [&config, shapes] { check_llama_tensors(config, shapes, "model.safetensors"); };
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
  check_llama_tensors(parsed(with(k8B, "tie_word_embeddings", true)), bad, "model.safetensors");
  check_llama_tensors(parsed(with(k8B, "tie_word_embeddings", true)), good, "model.safetensors");
}

TEST(Llama, BadConfigs) {
  const std::pair<std::string, const char*> kBad[] = {
      {"", "config.json:1: not valid JSON"},
      {"{\n\"hidden_size\": }", "config.json:2: not valid JSON"},
      {"[1]", "config.json:1: not a JSON object"},
      {std::string(100000, '['), "config.json: nested too deeply"},
      {R"({"model_type": "llama", "hidden_size": 1e999})", "config.json: a number is too large"},
      {"{}", "model_type is missing, but must be one of llama, mistral, qwen2, qwen3"},
      {with(k8B, "model_type", "mixtral").dump(), "model_type is \"mixtral\", but must be one of"},
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
    expect_error(message, [&text = text] { parse_llama_config(text, "config.json"); });
  }
  EXPECT_EQ(parsed(with(k8B, "head_dim", 64)).head_width, 64u);
}

TEST(Llama, RunsThatAreTooMuch) {
  const LlamaConfig config = parsed(k8B);
  const auto of = [](const LlamaConfig& one, const RunSize& run) {
    return [one, run] { llama_workload(one, run, "llama"); };
  };
  expect_error("llama: needs --sequence N", of(config, run_of(4, {}, {})));
  expect_error("--context is 5, but must be at least --sequence, which is 6",
               of(config, run_of({}, 6, 5)));
  expect_error("llama: a size would be more than 2147483648",
               of(config, run_of(1u << 20, 1u << 20, {})));
  expect_error("llama: a count would be more", of(config, run_of(kMostElements, {}, 1)));
  const LlamaConfig near = parsed(with(k8B, "sliding_window", 1024));
  expect_error("attention is limited to 1024 tokens (sliding_window)",
               of(near, run_of({}, {}, 1025)));
  of(near, run_of({}, {}, 1024))();
  of(parsed(with(with(k8B, "sliding_window", 1024), "use_sliding_window", false)),
     run_of({}, {}, 1025))();
}

class LlamaFiles : public testing::Test {
 protected:
  LlamaFiles() {
    std::string made = (fs::temp_directory_path() / "mxe_llama_XXXXXX").string();
    folder_ = mkdtemp(made.data());
    write("config.json", k8B.dump());
  }
  ~LlamaFiles() override { fs::remove_all(folder_); }

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
  Workload read(const std::string& name) { return read_llama(path(name), run_of({}, 512, {})); }

  fs::path folder_;
};

TEST_F(LlamaFiles, ConfigAloneOneFileAndShards) {
  const std::string name = folder_.filename().string() + "_prefill_s512";
  for (const char* file : {"", "config.json"}) EXPECT_EQ(read(file).name, name);
  EXPECT_EQ(read_llama(path() + "/", run_of(3, {}, 7)).name,
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

TEST_F(LlamaFiles, DamagedFiles) {
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
