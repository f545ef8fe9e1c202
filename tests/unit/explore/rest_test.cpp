// SPDX-License-Identifier: Apache-2.0
// The rest of a token: counts and times computed by hand from the sizes in config.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/language_model.h"
#include "sw/explore/model_config.h"
#include "sw/explore/rest_times.h"
#include "sw/explore/space.h"

namespace mxe::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using numerics::FormatId;

LanguageModel shipped(const std::string& folder) {
  std::ifstream file(fs::path(MXE_MODELS) / folder / "config.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_model_config(text, folder);
}

RunSize run_of(std::optional<uint64_t> batch, std::optional<uint64_t> sequence,
               std::optional<uint64_t> context) {
  RunSize run;
  run.batch = batch;
  run.sequence = sequence;
  run.context = context;
  return run;
}

Workload decode(const std::string& folder, uint64_t context, uint64_t batch = 1) {
  return language_workload(shipped(folder), run_of(batch, {}, context), folder);
}

Workload prompt(const std::string& folder, uint64_t sequence,
                std::optional<uint64_t> context = std::nullopt) {
  return language_workload(shipped(folder), run_of({}, sequence, context), folder);
}

Point point_of(const std::string& format_a, const std::string& format_b,
               const VectorUnit& unit = {64, 1000, 64}, const char* output = "fp32") {
  Point point;
  point.format_a = OperandFormat::parse(format_a);
  point.format_b = OperandFormat::parse(format_b);
  point.output = job::parse_output_format(output);
  point.vector = unit;
  return point;
}

RestTimes::Kind kind_of(const RestTimes& times, RestKind kind) {
  for (const RestTimes::Kind& one : times.kinds) {
    if (one.kind == kind) return one;
  }
  return {kind, 0, 0, 0, false};
}

struct Expected {
  RestKind kind;
  double operations, bytes, cycles;
  bool bound_by_lanes;
};

TEST(Rest, OfATokenOfLlama3) {
  // 32 layers, width 4096, 32 heads and 8 heads of keys of 128, hidden 14336, vocabulary 128256.
  const RestTimes times =
      rest_times(decode("llama3_8b", 2048), point_of("mxfp8_e4m3", "mxfp8_e4m3"));
  const double norms = 65, scores = 32 * 32 * 2048., hidden = 32 * 14336.;
  // Inputs of q and kv, queries, inputs of out and of gate and up: 4 x 4096 in each layer.
  const double quantized = 4 * 32 * 4096. + scores + hidden + 4096;
  // Keys of one token, and values of the 32 tokens of its block.
  const double written = 33 * 32 * 8 * 128.;
  const Expected all[] = {
      {RestKind::embedding, 0, 2 * 4 * 4096, 512, false},
      {RestKind::norms, norms * (4 * 4096 + 10), norms * 3 * 4 * 4096, 49920, false},
      {RestKind::rotary, 3 * 32 * 40 * 128., 4 * 32 * (2 * 40 * 128. + 128), 20736, false},
      {RestKind::softmax, 13 * scores + 4 * 32 * 32, 2 * 4 * scores, 426048, true},
      {RestKind::activation, 15 * hidden, 3 * 4 * hidden, 107520, true},
      {RestKind::residual, 2 * 32 * 4096, 3 * 4 * 2 * 32 * 4096, 49152, false},
      {RestKind::quantize, 4 * quantized + 4 * quantized / 32,
       4 * quantized + quantized + quantized / 32, 242466, false},
      {RestKind::kv_write, 4 * written + 4 * written / 32, 5 * written + written / 32, 85008,
       false},
      {RestKind::sampling, 14 * 128256, 4 * 4 * 128256, 32064, false}};
  ASSERT_EQ(times.kinds.size(), std::size(all));
  double cycles = 0;
  for (const Expected& one : all) {
    SCOPED_TRACE(kRestKindNames[static_cast<std::size_t>(one.kind)]);
    const RestTimes::Kind found = kind_of(times, one.kind);
    EXPECT_EQ(found.operations, one.operations);
    EXPECT_EQ(found.bytes, one.bytes);
    EXPECT_DOUBLE_EQ(found.seconds, one.cycles * 1e-9);
    EXPECT_EQ(found.bound_by_lanes, one.bound_by_lanes);
    cycles += one.cycles;
  }
  EXPECT_DOUBLE_EQ(times.seconds, cycles * 1e-9);
  EXPECT_EQ(kind_of(times, RestKind::softmax).operations, 27267072);
  EXPECT_EQ(kind_of(times, RestKind::kv_write).bytes, 5440512);
}

TEST(Rest, OfAPrompt) {
  const RestTimes times =
      rest_times(prompt("llama3_8b", 512), point_of("mxfp8_e4m3", "mxfp8_e4m3"));
  const double tokens = 512, scores = 32 * 32 * tokens * tokens;
  EXPECT_EQ(kind_of(times, RestKind::softmax).operations, 13 * scores + 4 * 32 * 32 * tokens);
  // All tokens, except for the last norm and the sampling.
  EXPECT_EQ(kind_of(times, RestKind::norms).operations, (64 * tokens + 1) * (4 * 4096 + 10));
  EXPECT_EQ(kind_of(times, RestKind::norms).bytes, 4 * 4096 * (2 * (64 * tokens + 1) + 65));
  EXPECT_EQ(kind_of(times, RestKind::sampling).operations, 14 * 128256);
  EXPECT_EQ(kind_of(times, RestKind::embedding).bytes, 2 * 4 * 4096 * tokens);
  EXPECT_EQ(kind_of(times, RestKind::kv_write).operations, (4 + 4 / 32.) * 2 * 32 * 1024 * tokens);
}

// Numbers have the size of results, elements and scales that of their formats.
TEST(Rest, BytesAreThoseOfTheFormats) {
  const double keys = 32 * 8 * 128., scores = 32 * 32 * 2049.;
  const Workload workload = decode("llama3_8b", 2049);  // its values begin a block
  const auto written = [&](const Point& point) {
    return kind_of(rest_times(workload, point), RestKind::kv_write).bytes;
  };
  // A row of 128 keys has 4 scales of MX, or 8 of NVFP4. A value alone has one, and takes a byte.
  EXPECT_EQ(written(point_of("mxfp8_e4m3", "mxfp8_e4m3")), keys * (4 + 1 + 1 / 32.) + keys * 6);
  EXPECT_EQ(written(point_of("mxfp8_e4m3", "mxfp4_e2m1")), keys * (4 + .5 + 1 / 32.) + keys * 6);
  EXPECT_EQ(written(point_of("mxfp8_e4m3", "mxfp4_e2m1", {64, 1000, 64}, "bf16")),
            keys * (2 + .5 + 1 / 32.) + keys * 4);
  // NVFP4 reads numbers twice.
  EXPECT_EQ(written(point_of("nvfp4", "nvfp4")), keys * (8 + .5 + 1 / 16.) + keys * 10);
  const RestTimes halves =
      rest_times(workload, point_of("mxfp8_e4m3", "mxfp8_e4m3", {64, 1000, 64}, "bf16"));
  EXPECT_EQ(kind_of(halves, RestKind::softmax).bytes, 2 * 2 * scores);
  // Layers with other formats: probabilities in 4 bits.
  Workload mixed = workload;
  const double before =
      kind_of(rest_times(mixed, point_of("mxfp8_e4m3", "mxfp8_e4m3")), RestKind::quantize).bytes;
  for (Layer& layer : mixed.layers) {
    if (layer.name == "attn_context") layer.format_a = OperandFormat(FormatId::mxfp4_e2m1);
  }
  const double after =
      kind_of(rest_times(mixed, point_of("mxfp8_e4m3", "mxfp8_e4m3")), RestKind::quantize).bytes;
  EXPECT_EQ(before - after, 32 * 32 * 1024.);  // 2049 elements take 1025 bytes instead of 2049
}

TEST(Rest, ValuesAreWrittenInWholeBlocks) {
  const double value = 32 * 8 * 128.;
  const auto operations = [&](const Workload& workload, const char* format) {
    return kind_of(rest_times(workload, point_of(format, format)), RestKind::kv_write).operations;
  };
  // Context 2040: the token is number 2039. Its block of 32 begins at 2016, that of 16 at 2032.
  EXPECT_EQ(operations(decode("llama3_8b", 2040), "mxfp8_e4m3"),
            value * (4 + 4 / 32.) + value * (4 * 24 + 4));
  EXPECT_EQ(operations(decode("llama3_8b", 2040), "nvfp4"),
            value * (6 + 7 / 16.) + value * (6 * 8 + 7));
  // The tokens 60 to 99 of a prompt: the values of 32 to 99, in three blocks.
  EXPECT_EQ(operations(prompt("llama3_8b", 40, 100), "mxfp8_e4m3"),
            40 * value * (4 + 4 / 32.) + value * (4 * 68 + 4 * 3));
}

TEST(Rest, WindowsLimitTheScores) {
  const auto scores = [](const Workload& workload) {
    return workload.rest.work[static_cast<std::size_t>(RestKind::softmax)].numbers / 2;
  };
  EXPECT_EQ(scores(decode("gpt_oss_20b", 1000, 2)), 2 * 12 * 64 * (1000 + 128.));
  EXPECT_EQ(scores(prompt("gpt_oss_20b", 300)),
            12 * 64 * (300 * 300. + 128 * 128 + 128 * 255 + 44 * 171));
}

TEST(Rest, ExpertsAndLatents) {
  const auto work = [](const Workload& workload, RestKind kind) {
    return workload.rest.work[static_cast<std::size_t>(kind)];
  };
  // 61 layers, 58 of them with 8 of 256 experts and a shared one of 2048; 128 heads.
  const Workload token = decode("deepseek_v3", 1000);
  EXPECT_EQ(work(token, RestKind::router).operations,
            58 * (12 * 256 + 4 + 8 * 256 + 2 * 8 * 7168.));
  EXPECT_EQ(work(token, RestKind::router).numbers, 58 * (256 + 2 * 8 + 9 * 7168.));
  EXPECT_EQ(work(token, RestKind::activation).operations, 15 * (3 * 18432. + 58 * (8 + 1) * 2048));
  EXPECT_EQ(work(token, RestKind::residual).operations, (2 * 61 + 58) * 7168.);
  EXPECT_EQ(work(token, RestKind::rotary).operations, 3 * 61 * 129 * 64.);
  EXPECT_EQ(work(token, RestKind::norms).operations,
            123 * (4 * 7168. + 10) + 61 * (4 * 1536. + 10) + 61 * (4 * 512. + 10));
  EXPECT_EQ(work(token, RestKind::softmax).numbers, 2 * 61 * 128 * 1000.);
  // The cache has a latent and its position as keys, and the latent as values.
  const auto written = [](const Workload& workload) {
    double elements = 0;
    for (const QuantizedRows& rows : workload.rest.quantized) {
      if (rows.kind != RestKind::kv_write) continue;
      EXPECT_TRUE(rows.is_b);
      elements += rows.rows * static_cast<double>(rows.end - rows.begin);
    }
    return elements;
  };
  EXPECT_EQ(written(token), 61 * (576. + 512));
  EXPECT_EQ(written(prompt("deepseek_v3", 100, 300)), 61 * 100 * (576. + 512));
  // Expanded: keys and values of all 300 tokens for 128 heads.
  const Workload expanded = prompt("deepseek_v3", 100, 300);
  double elements = 0;
  for (const QuantizedRows& rows : expanded.rest.quantized) {
    if (rows.kind == RestKind::quantize && rows.is_b) {
      elements += rows.rows * static_cast<double>(rows.end - rows.begin);
    }
  }
  EXPECT_EQ(elements, 61 * 128 * 300 * (192. + 128));
}

// Differences between the families, by their implementations in Hugging Face's transformers.
TEST(Rest, FamiliesDiffer) {
  const auto operations = [](const std::string& folder, RestKind kind) {
    return decode(folder, 64).rest.work[static_cast<std::size_t>(kind)].operations;
  };
  // Gemma 3: four norms in each of 62 layers and one of each of 32 + 16 heads; GELU.
  EXPECT_EQ(operations("gemma3_27b", RestKind::norms),
            249 * (4 * 5376. + 10) + 62 * 48 * (4 * 128. + 10));
  EXPECT_EQ(operations("gemma3_27b", RestKind::activation), 18 * 62 * 21504.);
  // gpt-oss: limits of gate and up; 4 experts of 2880.
  EXPECT_EQ(operations("gpt_oss_20b", RestKind::activation), 19 * 24 * 4 * 2880.);
  // GLM-4.5: half of each of 96 + 8 heads is rotated. Llama 4: 36 of 48 layers.
  EXPECT_EQ(operations("glm_4_5", RestKind::rotary), 3 * 92 * 104 * 64.);
  EXPECT_EQ(operations("glm_4_5", RestKind::norms),
            185 * (4 * 5120. + 10) + 92 * 104 * (4 * 128. + 10));
  EXPECT_EQ(operations("llama4_scout", RestKind::rotary), 3 * 36 * 48 * 128.);
  EXPECT_EQ(operations("llama4_scout", RestKind::norms),
            97 * (4 * 5120. + 10) + 36 * 48 * (4 * 128. + 10));
  EXPECT_EQ(operations("llama4_maverick", RestKind::norms), 97 * (4 * 5120. + 10));
  EXPECT_EQ(operations("qwen3_8b", RestKind::norms),
            73 * (4 * 4096. + 10) + 36 * 40 * (4 * 128. + 10));
}

TEST(Rest, BadConfigs) {
  const auto expect_error = [](const char* key, const Json& value, const std::string& message) {
    Json json{{"model_type", "llama"},  {"hidden_size", 64},        {"intermediate_size", 128},
              {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"vocab_size", 320}};
    json[key] = value;
    try {
      parse_model_config(json.dump(), "config.json");
      FAIL() << "no error, but expected: " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
    }
  };
  expect_error("hidden_act", "relu2",
               "config.json: hidden_act is \"relu2\", but must be silu or gelu_pytorch_tanh");
  expect_error("use_qk_norm", 1, "config.json: use_qk_norm must be true or false, not 1");
  for (const Json& value : {Json(0), Json(1.5), Json("half")}) {
    expect_error("partial_rotary_factor", value,
                 "config.json: partial_rotary_factor must be a number above 0 and at most 1, not " +
                     value.dump());
  }
}

bool has_the_a_of_another(const std::string& name) {
  for (const char* prefix : {"kv_proj", "kv_a_proj", "shared_gate_up", "expert_gate_up"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

// The rest and the products are counted separately: each A is quantised once, except for those
// that several products have. Keys and values are those of the cache.
TEST(Rest, QuantizesTheOperandsOfAllProducts) {
  for (const auto& folder : fs::directory_iterator(MXE_MODELS)) {
    if (!folder.is_directory()) continue;
    const std::string name = folder.path().filename().string();
    SCOPED_TRACE(name);
    for (const Workload& workload : {decode(name, 5025, 3), prompt(name, 700)}) {
      double operands = 0, quantized = 0, scores = 0;
      for (const Layer& layer : workload.layers) {
        const double elements = static_cast<double>(layer.m) * static_cast<double>(layer.k) *
                                static_cast<double>(layer.count);
        if (!has_the_a_of_another(layer.name)) operands += elements;
        if (layer.name.rfind("attn_context", 0) == 0) scores += elements;
      }
      for (const QuantizedRows& rows : workload.rest.quantized) {
        if (rows.kind != RestKind::quantize || rows.is_b) continue;
        quantized += rows.rows * static_cast<double>(rows.end - rows.begin);
        EXPECT_EQ(workload.layers[rows.layer].k, rows.end);
      }
      EXPECT_EQ(quantized, operands);
      EXPECT_EQ(workload.rest.work[static_cast<std::size_t>(RestKind::softmax)].numbers,
                2 * scores);
    }
  }
}

TEST(Rest, WritesTheCacheOfEachToken) {
  for (const char* name :
       {"llama3_8b", "gpt_oss_20b", "gemma3_27b", "llama4_scout", "mistral_7b"}) {
    SCOPED_TRACE(name);
    const double all = cache_elements_of(shipped(name)).all;
    for (const Workload& workload : {decode(name, 5025, 3), prompt(name, 700)}) {
      double written = 0;
      for (const QuantizedRows& rows : workload.rest.quantized) {
        if (rows.kind != RestKind::kv_write) continue;
        written += rows.rows * static_cast<double>(rows.end - rows.begin);
      }
      EXPECT_EQ(written, static_cast<double>(workload.items) * all);
    }
  }
}

// Fused, a residual still reads one of three numbers, and A is loaded as numbers.
TEST(Rest, WhatFusingRemoves) {
  const Workload workload = decode("llama3_8b", 2048);
  const RestTimes times = rest_times(workload, point_of("mxfp8_e4m3", "mxfp8_e4m3"));
  ASSERT_EQ(times.fused.size(), 3u);
  const auto saved = [&](RestKind kind) {
    return std::find_if(times.fused.begin(), times.fused.end(),
                        [&](const RestTimes::Fused& one) { return one.kind == kind; })
        ->saved_seconds;
  };
  EXPECT_DOUBLE_EQ(saved(RestKind::activation), 107520e-9);
  EXPECT_DOUBLE_EQ(saved(RestKind::residual), 49152e-9 * 2 / 3);
  // 3,084,288 elements: 33/32 bytes each less to write and to read again.
  EXPECT_DOUBLE_EQ(saved(RestKind::quantize), 2 * 3084288 * 33 / 32. / 64 * 1e-9);
  EXPECT_DOUBLE_EQ(times.fused_seconds(), times.seconds - saved(RestKind::activation) -
                                              saved(RestKind::residual) -
                                              saved(RestKind::quantize));
}

TEST(Rest, ClockLanesAndBytes) {
  const Workload workload = decode("llama3_8b", 2048);
  const double seconds =
      rest_seconds(workload, point_of("mxfp8_e4m3", "mxfp8_e4m3", {64, 500, 64}));
  EXPECT_DOUBLE_EQ(seconds, 2 * rest_seconds(workload, point_of("mxfp8_e4m3", "mxfp8_e4m3")));
  const RestTimes narrow =
      rest_times(workload, point_of("mxfp8_e4m3", "mxfp8_e4m3", {1e6, 1000, 1}));
  for (const RestTimes::Kind& one : narrow.kinds) {
    EXPECT_FALSE(one.bound_by_lanes);
    EXPECT_DOUBLE_EQ(one.seconds, one.bytes * 1e-9);
  }
  Point without = point_of("mxfp8_e4m3", "mxfp8_e4m3");
  without.vector.reset();
  EXPECT_EQ(rest_seconds(workload, without), 0);
}

TEST(Rest, ResultsOfMxAreSkipped) {
  const Space space = Space::from_text(
      "parameters: {out_format: [fp32, mxfp8_e4m3]}\n"
      "vector: {lanes: 64, clock_mhz: 1000, bytes_per_cycle: 64}\n",
      "space.yaml");
  EXPECT_EQ(space.vector_place(), "space.yaml:2");
  const Space::Points found = space.points();
  ASSERT_EQ(found.points.size(), 1u);
  EXPECT_EQ(found.points[0].vector->lanes, 64);
  EXPECT_EQ(found.skipped.reasons().at(0).text,
            "out_format is mxfp8_e4m3, but a vector unit needs fp32, bf16 or fp16");
}

}  // namespace
}  // namespace mxe::explore
