// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "model/numerics/files/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class ExploreQuestions : public CliTest {
 protected:
  ExploreQuestions() {
    write_text("space.yaml", "parameters: {NUM_PE: [4, 8, 16], ROWS: 32}\n");
    write_text("net.csv", "layer,M,N,K,count\none,64,64,128,2\ntwo,16,96,256,1\n");
  }

  std::vector<std::string> arguments(const std::vector<std::string>& workloads,
                                     const std::vector<std::string>& more) {
    std::vector<std::string> all{"explore", path("space.yaml"), "--output", path("out"),
                                 "--workload"};
    for (const std::string& workload : workloads) {
      all.push_back(std::filesystem::path(workload).is_absolute() ? workload : path(workload));
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string explore(const std::vector<std::string>& workloads,
                      const std::vector<std::string>& more = {}) {
    std::filesystem::remove_all(path("out"));
    const ProgramRun run = mxe(arguments(workloads, more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }
  void expect_refused(const std::string& message, const std::vector<std::string>& more = {},
                      const std::vector<std::string>& workloads = {"net.csv"}) {
    std::filesystem::remove_all(path("out"));
    expect_error(arguments(workloads, more), message);
  }
  std::vector<nlohmann::json> lines(const std::string& file) {
    std::vector<nlohmann::json> all;
    std::istringstream text(read_text("out/" + file));
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  std::vector<nlohmann::json> points() { return lines("points.jsonl"); }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  void write_tensors(const std::string& file,
                     const std::map<std::string, std::vector<std::size_t>>& shapes) {
    std::vector<numerics::NamedTensor> tensors;
    for (const auto& [name, shape] : shapes) {
      numerics::NamedTensor tensor;
      tensor.name = name;
      tensor.array.shape = shape;
      for (std::size_t i = 0; i < shape[0] * shape[1]; i++) {
        const float value = 1 + static_cast<float>(i * 7919 % 1000) / 1000;
        const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
        tensor.array.data.insert(tensor.array.data.end(), bytes, bytes + sizeof value);
      }
      tensors.push_back(std::move(tensor));
    }
    const std::vector<uint8_t> bytes = numerics::format_safetensors(tensors);
    std::ofstream(path(file), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
};

const std::string kDigits = std::string(MXE_SOURCE_DIR) + "/sw/explore/workloads/digits.csv";

TEST_F(ExploreQuestions, SqnrIsMeasuredOnTheWorkloadsOwnTensors) {
  const std::string out = explore({"net.csv", kDigits});
  EXPECT_TRUE(says(out, "SQNR not measured: --tensors FILE")) << out;
  EXPECT_TRUE(says(out, "SQNR dB")) << out;  // of the digits' network
  for (const nlohmann::json& point : points()) {
    EXPECT_EQ(point.contains("sqnr_db"), point.at("workload") == "digits") << point;
  }
}

TEST_F(ExploreQuestions, NamesOfTheDigitsNetworkAreNotItsTensors) {
  for (const char* layers :
       {"dense1,100,64,64,1\n", "dense1,100,100,64,1\ndense2,100,50,100,1\ndense3,100,12,50,1\n",
        "a,100,100,64,1\nb,100,50,100,1\nc,100,10,50,1\n",
        "dense1,100,100,64,1\ndense2,100,50,100,1\ndense3,100,10,50,1\ndense4,1,10,10,1\n"}) {
    write_text("net.csv", std::string("layer,M,N,K,count\n") + layers);
    EXPECT_FALSE(says(explore({"net.csv"}), "SQNR dB")) << layers;
    EXPECT_FALSE(points().at(0).contains("sqnr_db")) << layers;
    EXPECT_FALSE(points().at(0).at("layers").at(0).contains("sqnr_db")) << layers;
  }
  write_text("space.yaml", "parameters: {format_b: [mxfp8_e4m3, mxfp4_e2m1]}\n");
  write_text("net.csv", "layer,M,N,K,count\ndense1,100,64,64,1\n");
  expect_refused("--formats needs tensors dense1.a and dense1.b for the layer dense1 of net",
                 {"--formats"});
}

TEST_F(ExploreQuestions, TensorsAreOfLayersByNameAndK) {
  write_text("other.csv", "layer,M,N,K,count\none,64,64,96,1\nthree,8,8,32,1\n");
  write_tensors("t.safetensors", {{"one.a", {8, 128}}, {"one.b", {8, 128}}});
  const std::string out = explore({"net.csv", "other.csv"}, {"--tensors", path("t.safetensors")});
  EXPECT_TRUE(says(out, "SQNR of the 1 of 2 layers that have tensors")) << out;
  EXPECT_TRUE(says(out, "SQNR not measured")) << out;
  for (const nlohmann::json& point : points()) {
    ASSERT_EQ(point.contains("sqnr_db"), point.at("workload") == "net");
    EXPECT_EQ(point.at("layers").at(0).contains("sqnr_db"), point.at("workload") == "net");
    if (!point.contains("sqnr_db")) continue;
    EXPECT_EQ(point.at("sqnr_layers"), 1);
    EXPECT_EQ(point.at("sqnr_db"), point.at("layers").at(0).at("sqnr_db"));
  }
  EXPECT_EQ(mxe(arguments({"net.csv"}, {})).exit_code, 0);
  for (const nlohmann::json& point : points()) {
    EXPECT_FALSE(point.contains("sqnr_db"));
    EXPECT_FALSE(point.contains("sqnr_layers"));
  }
}

TEST_F(ExploreQuestions, SqnrIsInTheFormatsOfTheLayers) {
  write_tensors("t.safetensors", {{"one.a", {8, 128}}, {"one.b", {8, 128}}});
  write_text("map.yaml", "one: {format_a: mxfp4_e2m1, format_b: mxfp4_e2m1}\n");
  explore({"net.csv"}, {"--tensors", path("t.safetensors")});
  const double plain = points().at(0).at("sqnr_db");
  explore({"net.csv"}, {"--tensors", path("t.safetensors"), "--format-map", path("map.yaml")});
  EXPECT_LT(points().at(0).at("sqnr_db"), plain - 5);
}

TEST_F(ExploreQuestions, ConstraintsOnResults) {
  explore({"net.csv"});
  const std::vector<nlohmann::json> all = points();
  ASSERT_EQ(all.size(), 3u);
  const auto value = [](const nlohmann::json& point, const std::string& name) -> double {
    if (name == "area") return point.at("area").at("ge");
    if (name == "sram_kib") return point.at("area").at("sram_kib");
    if (name == "ms") return 1e3 * point.at("seconds").get<double>();
    if (name == "energy") return 1e3 * point.at("energy").at("joules").get<double>();
    return point.at(name);
  };
  for (const std::string name : {"area", "sram_kib", "ms", "energy", "cycles", "utilisation"}) {
    std::vector<double> values;
    for (const nlohmann::json& point : all) values.push_back(value(point, name));
    std::sort(values.begin(), values.end());
    const double limit = (values[0] + values[1]) / 2;
    std::ostringstream text;
    text.precision(12);
    text << name << " <= " << limit;
    write_text("space.yaml",
               "parameters: {NUM_PE: [4, 8, 16], ROWS: 32}\nconstraints: [" + text.str() + "]\n");
    const std::string out = explore({"net.csv"});
    EXPECT_TRUE(says(out, "2: " + text.str()) || says(out, "left out 2 results: " + text.str()))
        << out;
    ASSERT_EQ(points().size(), 1u) << text.str();
    EXPECT_EQ(value(points()[0], name), values[0]);
  }
  EXPECT_EQ(mxe({"report", path("out")}).exit_code, 0);
  EXPECT_TRUE(says(read_text("out/report.html"), "\"unmet\":{\"utilisation"));
}

TEST_F(ExploreQuestions, PruningAndConstraintsOnResults) {
  const std::string space =
      "parameters: {NUM_PE: [4, 8, 16, 32], ROWS: [32, 64], ACC_TILES: [1, 2, 4]}\n"
      "search: {method: front}\nconstraints: [energy >= 0.0061 && ms <= 0.1]\n";
  write_text("space.yaml", space);
  explore({"net.csv"});
  const std::string pruned = read_text("out/points.jsonl");
  explore({"net.csv"}, {"--no-prune"});
  EXPECT_EQ(read_text("out/points.jsonl"), pruned);
  EXPECT_FALSE(pruned.empty());
}

TEST_F(ExploreQuestions, ConstraintsThatCannotBeMet) {
  const std::pair<const char*, const char*> kBad[] = {
      {"area <= 1", "no point is possible: area <= 1"},
      {"ms <= 1e-9", "no result meets the constraint 'ms <= 1e-9'"},
      {"sqnr_db >= 20", "the constraint 'sqnr_db >= 20' needs tensors of layers of net"},
      {"items_per_second >= 20", "needs a workload that says its items; net does not"},
      {"areas <= 1", "area (gate equivalents), sram_kib, port_bytes_per_cycle, ms, energy (mJ)"},
  };
  for (const auto& [constraint, message] : kBad) {
    write_text("space.yaml",
               std::string("parameters: {NUM_PE: [4, 8]}\nconstraints: [") + constraint + "]\n");
    expect_refused(message);
  }
  write_text("space.yaml",
             "parameters: {format_b: [mxfp8_e4m3, mxfp4_e2m1]}\nconstraints: [ms < 9]\n");
  expect_refused("--formats needs all results", {"--formats"}, {kDigits});
}

TEST_F(ExploreQuestions, APortNarrowerThanItsMemoryIsTold) {
  write_text("space.yaml",
             "parameters: {MEM_W: [128, 256, 512], mem_bytes_per_cycle: [0, 32, 64]}\n");
  const std::string out = explore({"net.csv"});
  // A port of 16 bytes with memories of 32 and 64 bytes per cycle, one of 32 with 64.
  EXPECT_TRUE(says(out, "note: in 3 of 9 points the port is narrower than the memory")) << out;
  EXPECT_EQ(points().at(0).at("port_bytes_per_cycle"), 16);
  write_text("space.yaml",
             "parameters: {MEM_W: [128, 256, 512], mem_bytes_per_cycle: [0, 32, 64]}\n"
             "constraints: [mem_bytes_per_cycle <= port_bytes_per_cycle]\n");
  const std::string without = explore({"net.csv"});
  EXPECT_FALSE(says(without, "narrower")) << without;
  EXPECT_EQ(points().size(), 6u);
  // Half-duplex: the rate may be twice the port's width, which is per direction.
  write_text("space.yaml",
             "parameters: {MEM_W: 256, mem_bytes_per_cycle: [64, 65], mem_half_duplex: 1}\n");
  EXPECT_TRUE(says(explore({"net.csv"}), "note: in 1 of 2 points"));
}

TEST_F(ExploreQuestions, AHalfDuplexMemorySharesItsBandwidth) {
  write_text("net.csv", "layer,M,N,K,count\none,256,256,32,1\n");
  write_text("space.yaml",
             "parameters: {mem_bytes_per_cycle: 8, mem_half_duplex: [0, 1], mem_latency: 50}\n");
  explore({"net.csv"});
  const nlohmann::json full = points().at(0), half = points().at(1);
  EXPECT_EQ(full.at("mem_half_duplex"), 0);
  EXPECT_EQ(half.at("mem_half_duplex"), 1);
  const double bytes = half.at("bytes_read").get<double>() + half.at("bytes_written").get<double>();
  EXPECT_GE(half.at("cycles"), bytes / 8);
  EXPECT_LE(half.at("cycles"), bytes / 8 + 500);
  EXPECT_LT(full.at("cycles"), 0.95 * half.at("cycles").get<double>());
  EXPECT_EQ(half.at("bound_by"), "memory");
  EXPECT_LE(half.at("lower_bound"), half.at("cycles"));
  const nlohmann::json estimated = mxe_json(
      {"estimate", "256", "256", "32", "--format-a", "mxfp8_e4m3", "--format-b", "mxfp8_e4m3",
       "--mem-bytes-per-cycle", "8", "--mem-half-duplex", "--mem-latency", "50"});
  EXPECT_EQ(estimated.at("cycles"), half.at("cycles"));
  EXPECT_EQ(estimated.at("bound_by"), "memory");
  expect_error({"estimate", "256", "256", "32", "--format-a", "mxfp8_e4m3", "--format-b",
                "mxfp8_e4m3", "--mem-half-duplex", "--engines", "2"},
               "several engines cannot share a half-duplex memory");
  write_text("space.yaml", "parameters: {mem_half_duplex: 2}\n");
  expect_refused("mem_half_duplex must be 0 or 1, not '2'");
}

TEST_F(ExploreQuestions, ADramReplacesLatencyAndBandwidth) {
  write_text("net.csv", "layer,M,N,K,count\none,1,256,1024,1\n");
  write_text("space.yaml",
             "parameters: {memory: [none, ddr4-3200, 'hbm2:page=closed', "
             "'ddr4-3200:controller=fr-fcfs']}\n");
  explore({"net.csv"});
  const nlohmann::json all = points();
  EXPECT_FALSE(all.at(0).contains("memory"));
  EXPECT_EQ(all.at(1).at("memory"), "ddr4-3200");
  EXPECT_DOUBLE_EQ(all.at(1).at("mem_bytes_per_cycle"), 25.6);
  EXPECT_EQ(all.at(2).at("memory"), "hbm2:page=closed");
  for (const nlohmann::json& point : all) EXPECT_LE(point.at("lower_bound"), point.at("cycles"));
  // The DRAM starts with the engine: estimates begin a few cycles apart, against refresh and tCK.
  for (const std::size_t i : {1u, 3u}) {
    const nlohmann::json estimated =
        mxe_json({"estimate", "1", "256", "1024", "--format-a", "mxfp8_e4m3", "--format-b",
                  "mxfp8_e4m3", "--memory", all.at(i).at("memory").get<std::string>()});
    EXPECT_NEAR(estimated.at("cycles").get<double>() / all.at(i).at("cycles").get<double>(), 1,
                0.02);
  }
  write_text("space.yaml", "parameters: {memory: ddr9}\n");
  expect_refused("unknown memory 'ddr9'; allowed: ddr4-3200, ");
  write_text("space.yaml", "parameters: {memory: hbm2, mem_latency: 40}\n");
  expect_refused("mem_latency, mem_bytes_per_cycle and mem_half_duplex, which a DRAM replaces");
}

TEST_F(ExploreQuestions, WhatLimitsAPointIsTold) {
  // Enough rows to keep the multipliers busy; a narrow port; a slow memory; few multiplications
  // with a high latency; one row of 4-bit weights, which the feeder decodes two columns a cycle.
  const std::map<std::string, std::pair<std::string, std::string>> kCases{
      {"array", {"512,512,512,1", "MEM_W: 512, mem_bytes_per_cycle: 0"}},
      {"port", {"1,4096,4096,1", "MEM_W: 128, mem_bytes_per_cycle: 32"}},
      {"memory", {"1,4096,4096,1", "MEM_W: 256, mem_bytes_per_cycle: 8"}},
      {"latency", {"1,8,32,9", "mem_latency: 400"}},
      {"feeder", {"1,4096,4096,1", "NUM_PE: 16, MEM_W: 512, format_b: mxfp4_e2m1"}}};
  for (const auto& [limit, one] : kCases) {
    write_text("net.csv", "layer,M,N,K,count\nlayer," + one.first + "\n");
    write_text("space.yaml", "parameters: {" + one.second + "}\n");
    const std::string out = explore({"net.csv"});
    EXPECT_TRUE(says(out, "  " + limit + " ")) << out;
    const nlohmann::json point = points().at(0);
    EXPECT_EQ(point.at("bound_by"), limit);
    EXPECT_EQ(point.at("bound_by_share"), 1.0);
    EXPECT_EQ(point.at("layers").at(0).at("bound_by"), limit);
  }
}

// Feeder: 4096 columns x 128 words, two columns a cycle: 262,144 cycles, 1.9 times the port's.
TEST_F(ExploreQuestions, TheRooflineKnowsTheFeeder) {
  const auto estimate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"estimate", "1", "4096", "4096", "--format-a", "mxfp8_e4m3"};
    all.insert(all.end(), more.begin(), more.end());
    return mxe_json(all);
  };
  const nlohmann::json wide =
      estimate({"--format-b", "mxfp4_e2m1", "--set", "NUM_PE=16", "MEM_W=512"});
  EXPECT_EQ(wide.at("bound_cycles"), 4096 * 128 / 2 + 3 * 32);
  EXPECT_LE(wide.at("bound_cycles"), wide.at("cycles"));
  EXPECT_LT(wide.at("cycles"), 1.1 * wide.at("bound_cycles").get<double>());
  EXPECT_EQ(wide.at("bound_by"), "feeder");
  // The feeder needs 131,072 cycles; the port more: 4,097 rows of 2,176 bytes, 64 bytes per cycle.
  const nlohmann::json dual =
      mxe_json({"estimate", "1", "4096", "4096", "--format-a", "mxfp4_e2m1", "--format-b",
                "mxfp4_e2m1", "--set", "NUM_PE=16", "MEM_W=512"});
  EXPECT_EQ(dual.at("bound_cycles"), 4097 * 2176 / 64 + 3 * 32);
  EXPECT_LE(dual.at("bound_cycles"), dual.at("cycles"));
  EXPECT_EQ(dual.at("bound_by"), "port");
}

TEST_F(ExploreQuestions, BytesOfWeightsAndOfKeysAndValues) {
  write_text("space.yaml", "parameters: {format_b: [mxfp8_e4m3, mxfp4_e2m1]}\n");
  std::filesystem::create_directory(path("tiny"));
  write_text("tiny/config.json",
             R"({"model_type":"llama","hidden_size":64,"intermediate_size":128,)"
             R"("num_hidden_layers":3,"num_attention_heads":4,"num_key_value_heads":2,)"
             R"("vocab_size":320,"max_position_embeddings":512})");
  const std::string out = explore({"tiny"}, {"--context", "96", "--batch", "5"});
  // N: query 64, key and value 2 x 32, output 64, gate and up 2 x 128; down 64 with K = 128; 3
  // layers, the vocabulary once. A row takes K + K / 32 bytes in E4M3, K / 2 + K / 32 in E2M1.
  const double weights = 3 * (64. + 64 + 64 + 256) * 66 + 3 * 64. * 132 + 320 * 66.;
  const double four_bit = 3 * (64. + 64 + 64 + 256) * 34 + 3 * 64. * 68 + 320 * 34.;
  // Keys: 96 rows of 16; values: 16 rows of 96; for 2 heads, 3 layers and 5 sequences.
  const double kv = 30 * (96 * 17. + 16 * 99.), kv_four = 30 * (96 * 9. + 16 * 51.);
  const nlohmann::json eight = points().at(0), four = points().at(1);
  EXPECT_EQ(eight.at("weight_bytes"), weights);
  EXPECT_EQ(four.at("weight_bytes"), four_bit);
  EXPECT_EQ(eight.at("kv_bytes"), kv);
  EXPECT_EQ(four.at("kv_bytes"), kv_four);
  EXPECT_EQ(four.at("kv_formats"), nlohmann::json::array({"mxfp4_e2m1"}));
  EXPECT_EQ(eight.at("b_bytes"), weights + kv);
  EXPECT_TRUE(says(out, "keys and values 50.4 kB in mxfp4_e2m1 (format_b=mxfp4_e2m1)")) << out;
  // A format map can give the cache of keys and values another format.
  write_text("map.yaml", "attn_*: {format_a: mxfp8_e4m3, format_b: mxfp8_e4m3}\n");
  explore({"tiny"}, {"--context", "96", "--batch", "5", "--format-map", path("map.yaml")});
  EXPECT_EQ(points().at(1).at("kv_bytes"), kv);
  EXPECT_EQ(points().at(1).at("weight_bytes"), four_bit);
  EXPECT_EQ(points().at(1).at("kv_formats"), nlohmann::json::array({"mxfp8_e4m3"}));
}

// An earlier result counts only if its workload has the same name and the same table.
TEST_F(ExploreQuestions, ChangedTablesAreNotTheEarlierResult) {
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  const auto changed = [&](const std::string& text) {
    write_text("net.csv", text);
    const ProgramRun run = mxe(arguments({"net.csv"}, {}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(points().size(), 1u);
    return points().back();
  };
  EXPECT_EQ(changed("layer,M,N,K\nq,1,64,64\n").at("layers").at(0).at("b"), "unsaid");
  EXPECT_EQ(changed("layer,M,N,K,B\nq,1,64,64,weights\n").at("weight_bytes"), 64 * 66);
  EXPECT_EQ(changed("layer,M,N,K,B\nq,1,64,64,kv_cache\n").at("kv_bytes"), 64 * 66);
  EXPECT_EQ(changed("# items: 2 tokens\nlayer,M,N,K\nq,1,64,64\n").at("items"), 2);
  EXPECT_EQ(changed("# items: 3 tokens\nlayer,M,N,K\nq,1,64,64\n").at("items"), 3);
  EXPECT_EQ(changed("# items: 3 images\nlayer,M,N,K\nq,1,64,64\n").at("item_name"), "images");
  EXPECT_FALSE(changed("layer,M,N,K\nq,1,64,64\n").contains("items"));
  EXPECT_EQ(changed("layer,M,N,K,count\nq 1,1,64,64,2\n2,1,64,64,3\n").at("b_bytes"), 5 * 64 * 66);
  EXPECT_EQ(changed("layer,M,N,K,count\nq,1,64,64,1\n2 2,1,64,64,3\n").at("b_bytes"), 4 * 64 * 66);
}

TEST_F(ExploreQuestions, TablesSayWhatBIs) {
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  write_text("net.csv",
             "layer,B,M,N,K,count\nq,weights,1,64,64,2\ns,kv_cache,1,96,32,3\n"
             "c,activations,4,8,64,5\n");
  const std::string out = explore({"net.csv"});
  const nlohmann::json point = points().at(0);
  EXPECT_EQ(point.at("weight_bytes"), 2 * 64 * 66);
  EXPECT_EQ(point.at("kv_bytes"), 3 * 96 * 33);
  EXPECT_EQ(point.at("b_bytes"), 2 * 64 * 66 + 3 * 96 * 33 + 5 * 8 * 66);
  EXPECT_EQ(point.at("layers").at(2).at("b"), "activations");
  EXPECT_TRUE(says(out, "weights 8.45 kB, keys and values 9.50 kB in mxfp8_e4m3, other B 2.64 kB"))
      << out;
  write_text("net.csv", "layer,M,N,K,B\nq,1,64,64,weight\n");
  expect_refused("net.csv:2: B is 'weight'; allowed: weights, kv_cache, activations");
}

TEST_F(ExploreQuestions, OneFrontOverSeveralWorkloads) {
  write_text("space.yaml",
             "parameters: {NUM_PE: [4, 8, 16, 32], ROWS: [32, 64], MEM_W: [128, 512]}\n");
  write_text("big.csv", "layer,M,N,K,count\nonly,512,256,512,3\n");
  write_text("row.csv", "layer,M,N,K,count\nonly,1,4096,1024,2\n");
  const auto key = [](const nlohmann::json& point) { return point.at("parameters").dump(); };
  for (const std::string method : {"sum", "worst"}) {
    const std::string out =
        explore({"big.csv", "row.csv"}, {"--combine", method, "--weight", "row=2.5"});
    EXPECT_TRUE(says(out, "all workloads, " + method + " of 1 x big, 2.5 x row: ")) << out;
    std::map<std::string, std::map<std::string, nlohmann::json>> single;
    for (const nlohmann::json& point : points()) single[key(point)][point.at("workload")] = point;
    const std::vector<nlohmann::json> combined = lines("combined.jsonl");
    ASSERT_EQ(combined.size(), single.size());
    for (const nlohmann::json& point : combined) {
      const double big = single[key(point)]["big"].at("seconds"),
                   row = 2.5 * single[key(point)]["row"].at("seconds").get<double>();
      EXPECT_DOUBLE_EQ(point.at("seconds"), method == "sum" ? big + row : std::max(big, row));
      EXPECT_EQ(point.at("workload"), "all workloads: " + method);
      EXPECT_EQ(point.at("weights"), (nlohmann::json{{"big", 1.0}, {"row", 2.5}}));
      ASSERT_EQ(point.at("layers").size(), 2u);
      EXPECT_EQ(point.at("layers")[1].at("cycles"),
                2.5 * single[key(point)]["row"].at("cycles").get<double>());
      const bool beaten = std::any_of(combined.begin(), combined.end(), [&](const auto& other) {
        const double area = point.at("area").at("ge"), others = other.at("area").at("ge");
        return others <= area && other.at("seconds") <= point.at("seconds") &&
               (others < area || other.at("seconds") < point.at("seconds"));
      });
      EXPECT_EQ(point.contains("pareto"), !beaten) << point;
    }
    EXPECT_EQ(mxe({"report", path("out")}).out, path("out/report.html") + ": 32 points\n");
    EXPECT_TRUE(says(read_text("out/report.html"), "all workloads: " + method));
  }
  EXPECT_EQ(mxe(arguments({"big.csv", "row.csv"}, {})).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("out/combined.jsonl")));
}

TEST_F(ExploreQuestions, CombinationsThatAreRefused) {
  write_text("row.csv", "layer,M,N,K,count\nonly,1,4096,1024,2\n");
  const std::vector<std::string> two{"net.csv", "row.csv"};
  expect_refused("--combine needs two workloads", {"--combine", "sum"});
  expect_refused("--combine", {"--combine", "mean"}, two);
  expect_refused("--weight is for --combine", {"--weight", "net=2"}, two);
  expect_refused("--weight names the workload 'nets'; allowed: net, row",
                 {"--combine", "sum", "--weight", "nets=2"}, two);
  for (const char* weight : {"net", "net=", "net=0", "net=-1", "net=nan", "net=1e10", "net=2x"}) {
    expect_refused("--weight must be WORKLOAD=N", {"--combine", "sum", "--weight", weight}, two);
  }
  expect_refused("twice", {"--combine", "sum", "--weight", "net=1", "--weight", "net=2"}, two);
  expect_refused("--combine is not for a --shard", {"--combine", "sum", "--shard", "1/2"}, two);
  write_text("space.yaml", "parameters: {NUM_PE: [4, 8]}\nsearch: {method: front}\n");
  expect_refused("--combine needs every point", {"--combine", "sum"}, two);
}

TEST_F(ExploreQuestions, FormatsOfEachLineAreTold) {
  write_text("space.yaml",
             "parameters: {format_a: [mxfp8_e4m3, mxfp6_e2m3, mxint8], NUM_PE: [4, 8]}\n");
  const std::string out = explore({"net.csv"});
  for (const char* part : {"mxfp8_e4m3 x mxfp8_e4m3", "mxfp6_e2m3 x mxfp8_e4m3",
                           "mxint8 x mxfp8_e4m3", "NUM_PE=4", "Columns: ", "used, MACs done"}) {
    EXPECT_TRUE(says(out, part)) << part << out;
  }
  EXPECT_FALSE(says(out, "format_a=")) << out;
  EXPECT_FALSE(says(out, "e+")) << out;
  EXPECT_FALSE(says(out, "e-")) << out;
}

}  // namespace
}  // namespace mxe::test
