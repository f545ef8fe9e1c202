// SPDX-License-Identifier: Apache-2.0
// `vector` in a space: tokens a second of the whole token.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

constexpr const char* kEngines =
    "parameters:\n"
    "  NUM_PE: [4, 8, 16]\n"
    "  format_b: [mxfp8_e4m3, mxfp4_e2m1]\n";
constexpr const char* kVector = "vector: {lanes: 16, clock_mhz: 500, bytes_per_cycle: 32}\n";
constexpr const char* kConfig =
    R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "vocab_size": 320,)"
    R"("num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2})";

class ExploreRest : public CliTest {
 protected:
  ExploreRest() { write_text("config.json", kConfig); }

  ProgramRun explore(const std::string& space, const std::string& output,
                     const std::vector<std::string>& more = {}) {
    write_text("space.yaml", space);
    const ProgramRun run = mxe(arguments(output, more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run;
  }

  std::vector<std::string> arguments(const std::string& output,
                                     const std::vector<std::string>& more) {
    std::vector<std::string> all{"explore",           path("space.yaml"), "--workload",
                                 path("config.json"), "--context",        "40",
                                 "--output",          path(output)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  void refuse(const std::string& space, const std::string& message,
              const std::vector<std::string>& more = {}) {
    SCOPED_TRACE(space);
    write_text("space.yaml", space);
    expect_error(arguments("bad", more), message);
  }

  std::vector<nlohmann::json> points(const std::string& output,
                                     const std::string& file = "points.jsonl") {
    std::vector<nlohmann::json> all;
    std::istringstream lines(read_text(output + "/" + file));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }

  std::set<std::string> engines_on_front(const std::string& output) {
    std::set<std::string> all;
    for (const nlohmann::json& point : points(output)) {
      if (!point.contains("pareto")) continue;
      all.insert(point.at("parameters").dump() + point.at("format_b").get<std::string>());
    }
    return all;
  }
};

TEST_F(ExploreRest, FollowsTheProducts) {
  const ProgramRun alone = explore(kEngines, "alone");
  EXPECT_NE(alone.out.find("Columns: ms, energy and items/s of the matrix products alone;"),
            std::string::npos)
      << alone.out;
  const ProgramRun run = explore(std::string(kEngines) + kVector, "whole");
  const std::vector<nlohmann::json> before = points("alone"), after = points("whole");
  ASSERT_EQ(after.size(), 6u);
  for (std::size_t i = 0; i < after.size(); i++) {
    const nlohmann::json& point = after[i];
    EXPECT_FALSE(before[i].contains("rest"));
    EXPECT_EQ(point.at("cycles"), before[i].at("cycles"));
    EXPECT_DOUBLE_EQ(point.at("products_seconds"), before[i].at("seconds"));
    double sum = 0;
    for (const auto& [kind, one] : point.at("rest").at("kinds").items()) {
      const double operations = one.at("operations"), bytes = one.at("bytes");
      EXPECT_DOUBLE_EQ(one.at("seconds"), std::max(operations / 16, bytes / 32) / 500e6) << kind;
      sum += one.at("seconds").get<double>();
    }
    const double seconds = point.at("seconds");
    EXPECT_DOUBLE_EQ(point.at("rest").at("seconds"), sum);
    EXPECT_DOUBLE_EQ(seconds, before[i].at("seconds").get<double>() + sum);
    EXPECT_DOUBLE_EQ(point.at("items_per_second"), 1 / seconds);
    EXPECT_DOUBLE_EQ(point.at("rest").at("share"), sum / seconds);
    double saved = 0;
    const nlohmann::json& fused = point.at("rest").at("fused_estimate");
    for (const auto& [kind, one] : fused.at("saved_seconds").items()) saved += one.get<double>();
    EXPECT_NEAR(fused.at("items_per_second"), 1 / (seconds - saved), 1e-6 / seconds);
  }
  // 2 layers, 4 heads, 40 keys: 320 scores in 8 rows.
  const nlohmann::json& kinds = after[0].at("rest").at("kinds");
  EXPECT_EQ(kinds.at("softmax").at("operations"), 13 * 320 + 4 * 8);
  EXPECT_EQ(kinds.at("sampling").at("bytes"), 4 * 4 * 320);
  // Keys: 4 heads of 16 in MXFP8. Values: 64 columns of the tokens 32 to 39.
  EXPECT_EQ(kinds.at("kv_write").at("bytes"), 4 * (16 * 5 + 1) + 64 * (8 * 5 + 1));
  EXPECT_FALSE(kinds.contains("router"));
  EXPECT_EQ(engines_on_front("alone"), engines_on_front("whole"));
  for (const char* text : {"Columns: ms and tokens/s of products and rest, energy of the products;",
                           " of the first row: products ", "  softmax ", "  kv_write ",
                           "  estimate: fused into the engine, ms less: activation "}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
  }
}

TEST_F(ExploreRest, AnotherUnitIsAnotherResult) {
  explore(std::string(kEngines) + kVector, "out");
  const ProgramRun again = explore(std::string(kEngines) + kVector, "out");
  EXPECT_NE(again.out.find("6 points: 0 simulated, 0 from the cache, 6 known"), std::string::npos)
      << again.out;
  // The same products, but other work between them.
  write_text("config.json",
             std::string(kConfig).insert(1, R"("hidden_act": "gelu_pytorch_tanh", )"));
  const ProgramRun gelu = explore(std::string(kEngines) + kVector, "out");
  EXPECT_NE(gelu.out.find("6 points: 0 simulated, 6 from the cache, 0 known"), std::string::npos)
      << gelu.out;
  const ProgramRun other = explore(
      std::string(kEngines) + "vector: {lanes: 17, clock_mhz: 500, bytes_per_cycle: 32}\n", "out");
  EXPECT_NE(other.out.find("6 points: 0 simulated, 6 from the cache, 0 known"), std::string::npos)
      << other.out;
}

TEST_F(ExploreRest, SearchesAndConstraintsKnowTheWholeTime) {
  explore(std::string(kEngines) + kVector, "grid");
  for (const char* more : {"", "--no-prune"}) {
    const std::string output = std::string("front") + more;
    std::vector<std::string> options;
    if (*more) options.emplace_back(more);
    explore(std::string(kEngines) + kVector + "search: {method: front}\n", output, options);
    EXPECT_EQ(engines_on_front(output), engines_on_front("grid"));
  }
  EXPECT_TRUE(same_bytes("front/points.jsonl", "front--no-prune/points.jsonl"));
  explore(std::string(kEngines) + kVector + "search: {method: halving, budget: 3}\n", "halved");
  EXPECT_EQ(points("halved").size(), 3u);
  double least = 1;
  for (const nlohmann::json& point : points("grid")) {
    least = std::min(least, point.at("seconds").get<double>());
  }
  explore(std::string(kEngines) + kVector +
              "constraints: [ms <= " + std::to_string(1.0001e3 * least) + "]\n",
          "limited");
  for (const nlohmann::json& point : points("limited")) {
    EXPECT_LE(point.at("seconds"), 1.0001 * least);
  }
}

TEST_F(ExploreRest, CombinedAndReported) {
  std::filesystem::create_directory(path("other"));
  write_text("other/config.json", kConfig);
  explore(std::string(kEngines) + kVector, "out",
          {"--workload", path("other/config.json"), "--combine", "sum"});
  const std::vector<nlohmann::json> parts = points("out"), all = points("out", "combined.jsonl");
  ASSERT_EQ(parts.size(), 12u);
  EXPECT_FALSE(all.at(0).contains("rest"));
  EXPECT_DOUBLE_EQ(all.at(0).at("seconds"), parts.at(0).at("seconds").get<double>() +
                                                parts.at(1).at("seconds").get<double>());
  EXPECT_EQ(mxe({"report", path("out")}).exit_code, 0);
  EXPECT_NE(read_text("out/report.html").find("\"products_seconds\":"), std::string::npos);
}

TEST_F(ExploreRest, Refused) {
  const std::string space = "parameters: {NUM_PE: 8}\n";
  const std::pair<const char*, const char*> kBad[] = {
      {"vector: 64\n", "space.yaml:2: vector must be {lanes: N, clock_mhz: F, bytes_per_cycle: B}"},
      {"vector:\n  lanes: 64\n  clock_mhz: 1000\n",
       "space.yaml:3: bytes_per_cycle is missing: vector must be {lanes: N,"},
      {"vector:\n  lanes: 64\n  clocks: 1000\n",
       "space.yaml:4: unknown key 'clocks' of vector (allowed: lanes, clock_mhz, bytes_per_cycle)"},
      {"vector: {lanes: 64,\n  lanes: 64}\n", "space.yaml:3: 'lanes' is given twice"},
      {"vector: {lanes: 0, clock_mhz: 1, bytes_per_cycle: 1}\n",
       "space.yaml:2: lanes of vector must be a number above 0 and at most 1000000"},
      {"vector: {lanes: many, clock_mhz: 1, bytes_per_cycle: 1}\n",
       "space.yaml:2: lanes of vector must be a number above 0"},
      {"vector: {lanes: 1,\n  clock_mhz: .inf, bytes_per_cycle: 1}\n",
       "space.yaml:3: clock_mhz of vector must be a number above 0"},
      {"vector: {lanes: 1, clock_mhz: 1, bytes_per_cycle: [1]}\n",
       "space.yaml:2: bytes_per_cycle of vector must be a number above 0"},
      {"vectors: {}\n", "(allowed: config, parameters, constraints, search, vector)"}};
  for (const auto& [text, message] : kBad) refuse(space + text, message);
  refuse(space + kVector + kVector, "space.yaml:3: 'vector' is given twice");
  refuse("parameters: {out_format: mxfp8_e4m3}\n" + std::string(kVector),
         "no point is possible: out_format is mxfp8_e4m3, but a vector unit needs fp32, bf16 or "
         "fp16");
  refuse(space + kVector,
         "space.yaml:2: vector is not for --formats, which mixes formats of products",
         {"--formats"});
  write_text("net.csv", "layer,M,N,K\none,8,8,32\n");
  refuse(space + kVector,
         "space.yaml:2: vector needs language models (folders with config.json), but net has only "
         "products",
         {"--workload", path("net.csv")});
}

}  // namespace
}  // namespace mxe::test
