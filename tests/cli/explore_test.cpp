// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

constexpr const char* kSpace =
    "parameters:\n"
    "  NUM_PE: [4, 8, 64]\n"
    "  ROWS: {from: 16, to: 64, factor: 2}\n"
    "  format_b: [mxfp8_e4m3, mxfp4_e2m1]\n"
    "  mem_latency: [64, 200]\n"
    "  mem_outstanding_reads: 5\n"
    "  mem_outstanding_writes: 40\n"
    "constraints:\n"
    "  - NUM_PE * ROWS <= 512 || format_b == mxfp4_e2m1\n";
constexpr const char* kLayers =
    "layer,M,N,K,count\n"
    "# items: 100 tokens\n"
    "one,100,64,128,2\n"
    "two,33,70,300,1\n"
    "three,100,64,128,5\n";

class Explore : public CliTest {
 protected:
  Explore() {
    write_text("space.yaml", kSpace);
    write_text("net.csv", kLayers);
  }

  ProgramRun explore(const std::string& output, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"explore",       path("space.yaml"), "--workload",
                                       path("net.csv"), "--output",         path(output)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run;
  }

  std::vector<nlohmann::json> points(const std::string& output) {
    std::vector<nlohmann::json> all;
    std::istringstream lines(read_text(output + "/points.jsonl"));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }

  // The events of a trace after the reset, relative to the first one.
  std::vector<std::tuple<std::string, int64_t, int64_t>> events(const std::string& file) {
    std::vector<std::tuple<std::string, int64_t, int64_t>> all;
    std::optional<int64_t> begin;
    const nlohmann::json trace = nlohmann::json::parse(read_text(file));
    const nlohmann::json& list = trace.is_array() ? trace : trace.at("traceEvents");
    for (const nlohmann::json& one : list) {
      if (one.at("ph") != "X" || one.at("name") == "reset") continue;
      const int64_t at = one.at("ts");
      if (!begin) begin = at;
      all.emplace_back(one.at("name"), at - *begin, one.at("dur").get<int64_t>());
    }
    return all;
  }

  std::set<std::string> front(const std::string& output) {
    std::set<std::string> ids;
    for (const nlohmann::json& point : points(output)) {
      if (point.contains("pareto")) ids.insert(point.at("id"));
    }
    return ids;
  }

  void expect_explore_error(const std::string& message, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"explore",       path("space.yaml"), "--workload",
                                       path("net.csv"), "--output",         path("bad")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_error(arguments, message);
  }
};

TEST_F(Explore, PointsAreWhatEstimateSays) {
  const ProgramRun run = explore("out");
  EXPECT_NE(run.out.find("skipped 4: ROWS is 16, but must be at least NUM_PE"), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("skipped 2: NUM_PE * ROWS <= 512"), std::string::npos) << run.out;
  const std::vector<nlohmann::json> all = points("out");
  ASSERT_EQ(all.size(), 36u - 8 - 2);
  const nlohmann::json& point = all.back();
  uint64_t cycles = 0;
  for (const nlohmann::json& layer : point.at("layers")) {
    const uint64_t count = layer.at("count");
    const nlohmann::json one = mxe_json(
        {"estimate", to_string(layer.at("m")), to_string(layer.at("n")), to_string(layer.at("k")),
         "--format-a", point.at("format_a"), "--format-b", point.at("format_b"), "--set",
         "NUM_PE=" + to_string(point.at("parameters").at("NUM_PE")),
         "ROWS=" + to_string(point.at("parameters").at("ROWS")), "--mem-latency",
         to_string(point.at("mem_latency")), "--mem-outstanding-reads",
         to_string(point.at("mem_outstanding_reads")), "--mem-outstanding-writes",
         to_string(point.at("mem_outstanding_writes"))});
    EXPECT_EQ(layer.at("cycles"), count * one.at("cycles").get<uint64_t>());
    EXPECT_DOUBLE_EQ(layer.at("bound_cycles"),
                     static_cast<double>(count) * one.at("bound_cycles").get<double>());
    EXPECT_LE(one.at("bound_cycles"), one.at("lower_bound").get<double>() + 1);
    EXPECT_LE(one.at("lower_bound"), one.at("cycles"));
    EXPECT_EQ(layer.at("stalls").at("stall_a"),
              count * one.at("counters").at("stall_a").get<uint64_t>());
    cycles += layer.at("cycles").get<uint64_t>();
  }
  EXPECT_EQ(point.at("mem_outstanding_reads"), 5);
  EXPECT_EQ(point.at("mem_outstanding_writes"), 40);
  EXPECT_EQ(point.at("cycles"), cycles);
  EXPECT_DOUBLE_EQ(point.at("seconds"), static_cast<double>(cycles) / 1e9);
  EXPECT_DOUBLE_EQ(point.at("items_per_second"), 100 / point.at("seconds").get<double>());
  EXPECT_LE(point.at("lower_bound"), cycles);
  EXPECT_LE(point.at("bound_cycles"), point.at("lower_bound").get<double>() + 1);
  EXPECT_FALSE(point.contains("sqnr_db"));  // no data for this network
}

TEST_F(Explore, TheSameFileHoweverItCameAbout) {
  explore("whole", {"--parallel", "1"});
  explore("threads", {"--parallel", "3"});
  EXPECT_TRUE(same_bytes("whole/points.jsonl", "threads/points.jsonl"));

  explore("shards", {"--shard", "1/2"});
  const std::string part = read_text("shards/points.1-of-2.jsonl");
  EXPECT_EQ(2 * static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n')),
            points("whole").size());
  write_text("shards/points.1-of-2.jsonl", part.substr(0, part.size() / 2));
  EXPECT_NE(explore("shards", {"--shard", "1/2"}).out.find(" known before"), std::string::npos);
  EXPECT_EQ(read_text("shards/points.1-of-2.jsonl").size(), part.size());
  explore("shards", {"--shard", "2/2"});
  EXPECT_NE(explore("shards").out.find(": 0 simulated, 0 from the cache"), std::string::npos);
  EXPECT_TRUE(same_bytes("whole/points.jsonl", "shards/points.jsonl"));

  EXPECT_NE(explore("cached", {"--cache", path("whole/cache")}).out.find(": 0 simulated"),
            std::string::npos);
  EXPECT_TRUE(same_bytes("whole/points.jsonl", "cached/points.jsonl"));
}

constexpr const char* kManyEngines =
    "parameters:\n"
    "  NUM_PE: [4, 8, 16]\n"
    "  ROWS: [16, 32, 64]\n"
    "  ACC_TILES: [1, 2, 4, 8]\n"
    "  A_SLAB_K: [512, 1024, 4096]\n";

TEST_F(Explore, PruningLeavesTheFronts) {
  write_text("space.yaml", kManyEngines);
  explore("grid");
  EXPECT_EQ(points("grid").size(), 108u);
  write_text("space.yaml", std::string(kManyEngines) + "search: {method: front}\n");
  const ProgramRun pruned = explore("pruned", {"--parallel", "1"});
  EXPECT_NE(pruned.out.find(" off every front by their lower bounds"), std::string::npos);
  explore("threads", {"--parallel", "3"});
  explore("all", {"--no-prune"});
  EXPECT_EQ(front("pruned"), front("grid"));
  EXPECT_EQ(front("pruned").size(), points("pruned").size());
  EXPECT_TRUE(same_bytes("pruned/points.jsonl", "all/points.jsonl"));
  EXPECT_TRUE(same_bytes("pruned/points.jsonl", "threads/points.jsonl"));
}

TEST_F(Explore, HalvingKeepsGoodPoints) {
  write_text("space.yaml", kManyEngines);
  explore("grid");
  const std::set<std::string> best = front("grid");
  write_text("space.yaml", std::string(kManyEngines) + "search: {method: halving, budget: 30}\n");
  explore("halved", {"--parallel", "1"});
  explore("again", {"--parallel", "3"});
  EXPECT_TRUE(same_bytes("halved/points.jsonl", "again/points.jsonl"));
  std::size_t found = 0;
  for (const nlohmann::json& point : points("halved")) found += best.count(point.at("id"));
  EXPECT_EQ(points("halved").size(), 30u);
  // 30 random ones of the 108 points would find about 28 % of the front.
  EXPECT_GT(3 * found, 2 * best.size()) << found << " of " << best.size();
}

TEST_F(Explore, RandomPointsAreThoseOfTheSeed) {
  const auto draw = [&](const std::string& output, const std::string& seed) {
    write_text("space.yaml",
               kSpace + ("search: {method: random, budget: 9, seed: " + seed + "}\n"));
    explore(output);
  };
  draw("a", "5");
  draw("b", "5");
  draw("c", "6");
  EXPECT_LE(points("a").size(), 9u);
  EXPECT_TRUE(same_bytes("a/points.jsonl", "b/points.jsonl"));
  EXPECT_FALSE(same_bytes("a/points.jsonl", "c/points.jsonl"));
}

TEST_F(Explore, TopologiesOfScaleSim) {
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  write_text("net.csv",
             "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num "
             "Filter, Stride Height, Stride Width,\nConv1, 230, 230, 7, 7, 3, 64, 2, 2,\n"
             "Conv2, 9, 8, 3, 2, 4, 5, 2, 3,\n");
  const auto expect_product = [&](const nlohmann::json& layer, int m, int n, int k) {
    EXPECT_EQ(layer.at("m"), m);
    EXPECT_EQ(layer.at("n"), n);
    EXPECT_EQ(layer.at("k"), k);
  };
  explore("convolutions");
  const nlohmann::json layers = points("convolutions")[0].at("layers");
  ASSERT_EQ(layers.size(), 2u);
  expect_product(layers[0], 113 * 113, 64, 147);  // as SCALE-Sim rounds (230 - 7) / 2
  expect_product(layers[1], 4 * 3, 5, 24);
  write_text("net.csv", "Layer, M, N, K,\nGEMM1, 10, 20, 30,\n");
  explore("products");
  expect_product(points("products")[0].at("layers")[0], 10, 20, 30);
}

TEST_F(Explore, LanguageModels) {
  const std::string source = MXE_SOURCE_DIR;
  const auto layers = [&](const std::string& workload, const std::vector<std::string>& size) {
    std::filesystem::remove_all(path("out"));  // otherwise its result counts for the second run
    std::vector<std::string> arguments{"explore", path("space.yaml"), "--workload",
                                       workload,  "--output",         path("out")};
    arguments.insert(arguments.end(), size.begin(), size.end());
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return points("out").at(0);
  };
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  const std::string folder = source + "/docs/examples/explore/llama3_8b";
  for (const char* run : {"prefill_s512", "decode_b16_kv2048"}) {
    SCOPED_TRACE(run);
    const std::string name = std::string("llama3_8b_") + run;
    const bool prompt = name.find("prefill") != std::string::npos;
    const nlohmann::json shipped = layers(source + "/sw/explore/workloads/" + name + ".csv", {});
    const nlohmann::json ours =
        layers(folder, prompt ? std::vector<std::string>{"--sequence", "512"}
                              : std::vector<std::string>{"--batch", "16", "--context", "2048"});
    EXPECT_EQ(ours, shipped);
    EXPECT_EQ(ours.at("workload"), name);
  }
  const auto expect_bad = [&](std::vector<std::string> more, const std::string& message) {
    std::vector<std::string> arguments{"explore", path("space.yaml"), "--workload", "--output",
                                       path("bad")};
    arguments.insert(arguments.begin() + 3, more.begin(), more.end());
    expect_error(arguments, message);
  };
  expect_bad({folder}, folder + "/config.json: needs --sequence N");
  expect_bad({folder, "--sequence", "0"}, "--sequence: Value 0 not in range 1 to");
  expect_bad({folder, "--sequence", "8", "--latent", "absorbed"}, "has no latent attention");
  expect_bad({folder, "--sequence", "8", "--routing", "uniform"}, "has no experts");
  expect_bad({path(""), "--sequence", "8"}, "config.json");
  expect_explore_error("CSV files have sizes", {"--batch", "2"});
  write_text("config.json", "{");
  expect_bad({path("config.json"), "--sequence", "8"}, "config.json:1: not valid JSON");
  write_text("config.json", R"({"model_type": "qwen3_next"})");
  expect_bad({path("config.json"), "--sequence", "8"},
             "config.json: model_type is \"qwen3_next\", but must be one of llama, mistral,");
}

// Experts, latent attention and windows, in small models with the keys of large ones.
TEST_F(Explore, MixturesOfExperts) {
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  const std::string sizes =
      R"("hidden_size": 64, "intermediate_size": 128, "vocab_size": 320, "num_hidden_layers": 4,)";
  const std::string config =
      R"({"model_type": "deepseek_v3", "num_attention_heads": 4, "kv_lora_rank": 32,)"
      R"("qk_nope_head_dim": 16, "qk_rope_head_dim": 16, "v_head_dim": 16, "n_routed_experts": 8,)"
      R"("n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 32,)" +
      sizes + R"("first_k_dense_replace": 1})";
  write_text("config.json", config);
  write_text("routing.csv", "expert,tokens\n0,1\n5,1\n");
  const auto explored = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), {"explore", path("space.yaml"), "--workload", path("config.json"),
                               "--output", path(out)});
    const ProgramRun run = mxe(more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  const std::string decode = explored("decode", {"--context", "96"});
  EXPECT_NE(decode.find("latent attention: absorbed"), std::string::npos) << decode;
  EXPECT_NE(decode.find("experts: routing uniform; used in each layer: 2 of 8; rows of each: 1"),
            std::string::npos)
      << decode;
  EXPECT_NE(decode.find("keys and values of a token: 0.4 kB in BF16"), std::string::npos) << decode;
  // The latents, 48 wide, and their values, 32 wide, of 96 tokens in 4 layers.
  EXPECT_EQ(points("decode").at(0).at("kv_bytes"), 4 * (96 * (48 + 2) + 32 * (96 + 3)));
  const std::string prompt =
      explored("prompt", {"--sequence", "20", "--routing", "histogram:" + path("routing.csv")});
  EXPECT_NE(prompt.find("latent attention: expanded"), std::string::npos) << prompt;
  EXPECT_NE(prompt.find("seed 1; used in each layer: 2 of 8; rows of each: 20"), std::string::npos)
      << prompt;
  const nlohmann::json layers = points("prompt").at(0).at("layers");
  EXPECT_EQ(std::count_if(layers.begin(), layers.end(),
                          [](const auto& layer) { return layer.at("name") == "expert_down_m20"; }),
            1);
  explored("zipf", {"--sequence", "20", "--routing", "zipf:1", "--routing-seed", "5"});
  expect_explore_error("--routing, --routing-seed and --latent are for models",
                       {"--latent", "absorbed"});
  for (const auto& [option, value, message] : std::vector<std::array<std::string, 3>>{
           {"--latent", "both", "allowed: absorbed, expanded"},
           {"--routing", "zipf:0", "allowed: uniform, zipf:"},
           {"--routing", "histogram:no.csv", "no.csv: cannot"}}) {
    expect_error({"explore", path("space.yaml"), "--workload", path("config.json"), "--output",
                  path("bad"), "--sequence", "8", option, value},
                 message);
  }
}

TEST_F(Explore, LayersWithFormatsOfTheirOwn) {
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  write_text("map.yaml", "t*: {format_a: mxint8, format_b: mxfp4_e2m1}\n");
  explore("out", {"--format-map", path("map.yaml")});
  const nlohmann::json layers = points("out")[0].at("layers");
  EXPECT_EQ(layers[0].at("format_a"), "mxfp8_e4m3");
  EXPECT_EQ(layers[1].at("format_a"), "mxint8");
  EXPECT_EQ(layers[2].at("format_b"), "mxfp4_e2m1");
}

TEST_F(Explore, BadSpaces) {
  const std::pair<const char*, const char*> kBad[] = {
      {"parameters: {NUM_PES: 8}\n", "space.yaml:1: unknown parameter 'NUM_PES' (allowed: NUM_PE,"},
      {"parameters:\n  NUM_PE: []\n", "space.yaml:2: NUM_PE has no values"},
      {"parameters: {}\n", "space.yaml:1: the space is empty"},
      {"- 1\n", "space.yaml:1: a space is a map"},
      {"parameters:\n  NUM_PE: [8\n", "space.yaml:"},
      {"parameters: {NUM_PE: many}\n", "space.yaml:1: NUM_PE must be a whole number"},
      {"parameters: {format_a: fp3}\n", "space.yaml:1: unknown format 'fp3'"},
      {"parameters: {NUM_PE: 3}\n", "no point is possible: NUM_PE is 3, but must be"},
      {"parameters:\n  ROWS: {from: 8, to: 64}\n", "space.yaml:2: a range is {from: A, to: B"},
      {"parameters:\n  ROWS: {from: 8, to: 64, factor: 1}\n", "the factor of a range must be more"},
      {"parameters:\n  ROWS: {from: 1, to: 1e9, step: 1}\n",
       "the range has too many values (allowed: 100000)"},
      {"parameters: {NUM_PE: 8}\nconstraints:\n  - NUM_PE <\n", "space.yaml:3: 'NUM_PE <':"},
      {"parameters: {NUM_PE: 8}\nconstraints: [PES > 1]\n", "space.yaml:2: 'PES > 1':"},
      {"parameters: {NUM_PE: 8}\nconstraints: [NUM_PE > 8]\n", "no point is possible: NUM_PE > 8"},
      {"parameters: {NUM_PE: 8}\nconstraints: [\"NUM_PE >\\x048\"]\n",
       "no point is possible: NUM_PE > 8"},
      {"parameters: {NUM_PE: 8}\nconfigs: base\n", "space.yaml:2: unknown key 'configs'"},
      {"parameters: {NUM_PE: 8}\nsearch: {method: best}\n",
       "space.yaml:2: the method of a search must be one of grid, random, front, halving"},
      {"parameters: {NUM_PE: 8}\nsearch: {method: random}\n", "needs a budget"},
      {"parameters: {NUM_PE: 8}\nsearch: {method: grid, budget: 2}\n", "has no budget"},
      {"parameters: {NUM_PE: 8}\nsearch: {method: halving, budget: 0}\n",
       "space.yaml:2: the budget of a search must be a whole number of at least 1"},
      {"parameters: {NUM_PE: 8}\nsearch: {budgets: 2}\n",
       "space.yaml:2: unknown key 'budgets' of a search"},
      {"config: tiny\nparameters: {NUM_PE: 8}\n", "space.yaml:1: unknown configuration 'tiny'"},
      {"parameters: {clock_mhz: 0}\n", "clock_mhz is 0, but must be more than 0"},
      {"parameters: {mem_latency: 0}\n", "memory latency is 0 cycles"},
      {"parameters: {mem_outstanding_reads: 0}\n", "outstanding reads of the memory are 0"},
      {"parameters: {mem_outstanding_writes: 257}\n", "outstanding writes of the memory are 257"},
      {"parameters: {mem_outstanding_reads: 1.5}\n", "must be a whole number, not '1.5'"},
      {"parameters: {TREE_W: 42, format_a: mxfp8_e5m2}\n", "needs TREE_W of at least"},
      {"parameters:\n  NUM_PE: [8, 8, [16]]\n", "space.yaml:2: a value must be a single number"},
      {"parameters:\n  NUM_PE: 8\n  NUM_PE: 16\n", "space.yaml:3: 'NUM_PE' is given twice"},
      {"parameters: {NUM_PE: 8}\nconstraints: [NUM_PE = 8]\n",
       "space.yaml:2: 'NUM_PE = 8': compare by ==, not ="},
      {"parameters: {NUM_PE: 8}\nconstraints: [sqrt(-NUM_PE)]\n",
       "no point is possible: sqrt(-NUM_PE)"},
      {"parameters: {NUM_PE: 8}\nsearch: {method: random, budget: 1000001}\n",
       "space.yaml:2: the budget of a search must be at most 1000000"},
      {"parameters:\n  mem_latency: {from: 1, to: 90000, step: 1}\n  ROWS: {from: 1, to: 64, step: "
       "1}\n",
       "space.yaml: 5760000 combinations, more than 1000000"},
      {"parameters:\n  \"NUM\\x1b_PE\": 8\n", "space.yaml:2: unknown parameter 'NUM _PE'"},
  };
  for (const auto& [text, message] : kBad) {
    SCOPED_TRACE(text);
    write_text("space.yaml", text);
    expect_explore_error(message);
  }
  expect_error({"explore", path("none.yaml"), "--workload", path("net.csv"), "--output", path("o")},
               "none.yaml: cannot open: No such file or directory");
}

TEST_F(Explore, BadWorkloads) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "net.csv: no layers"},
      {"layer,M,N,K,count\n", "net.csv: no layers"},
      {"M,N,K\n1,2,3\n", "net.csv:1: column 'layer' is missing"},
      {"layer,M,N,K,count\na,1,2,3\n", "net.csv:2: 4 fields, but the first line names 5"},
      {"layer,M,N,K,count\n\na,1,2,3,0\n", "net.csv:3: count must be a whole number from 1"},
      {"layer,M,N,K,count\na,1,2,-3,1\n", "net.csv:2: K must be a whole number from 1"},
      {"layer,M,N,K,count\na,1,2,3000000000,1\n", "net.csv:2: K must be"},
      {"layer,M,N,K,count\n# items: many\na,1,2,3,1\n", "net.csv:2: items need a number"},
      {"Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
       "Strides,\nc, 2, 2, 3, 3, 1, 1, 1,\n",
       "net.csv:2: a filter of 3 x 3 is larger"},
      // 65536 * 65536 * 2^31 is 2^63; 2^31 * 2^31 * 4 wraps around to 0.
      {"Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
       "Strides,\nc, 65536, 65536, 65536, 65536, 2147483648, 1, 1,\n",
       "net.csv:2: the size of a filter is more than 2147483648"},
      {"Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
       "Strides,\nc, 2147483648, 2147483648, 1, 1, 1, 1, 1,\n",
       "net.csv:2: the number of output pixels is more than 2147483648"},
      {"layer,M,N,K,count\na,100000,100000,100000,1\n",
       "net.csv: the layer a has 1e+15 multiplications, more than"},
      {"layer,M,N,K,count\na\xff,1,2,3,1\n", "net.csv:2: not UTF-8"},
      {"layer,M,N,K,count\na,1,\x1b[2J,3,1\n",
       "net.csv:2: N must be a whole number from 1 to 2147483648, not ' [2J'"},
  };
  for (const auto& [text, message] : kBad) {
    SCOPED_TRACE(text);
    write_text("net.csv", text);
    expect_explore_error(message);
  }
  write_text("net.csv", kLayers);
  write_text("map.yaml", "t*: {format_a: mxint8}\n");
  expect_explore_error("map.yaml:1: a pattern needs", {"--format-map", path("map.yaml")});
  write_text("map.yaml",
             "a: {format_a: mxint8, format_b: mxint8}\nb: {format_a: mxint8, format_b: fp3}\n");
  expect_explore_error("map.yaml:2: unknown format 'fp3'", {"--format-map", path("map.yaml")});
  write_text("map.yaml", "a: {format_a: mxint8, format_b: [mxint8}\n");
  expect_explore_error("map.yaml:1: ", {"--format-map", path("map.yaml")});
  expect_explore_error("two workloads are called net", {"--workload", path("net.csv")});
}

TEST_F(Explore, BadOptionsAndFolders) {
  for (const char* shard : {"0/2", "3/2", "2", "a/b", "1/2x"}) {
    expect_explore_error("--shard must be I/N", {"--shard", shard});
  }
  expect_explore_error("--no-prune is for spaces with", {"--no-prune"});
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  explore("out");
  write_text("out/cache/version", "another");
  write_text("out/points.jsonl", "");
  expect_error(
      {"explore", path("space.yaml"), "--workload", path("net.csv"), "--output", path("out")},
      "is of version another, this program's is");
  explore("other");
  write_text("other/points.jsonl", "{\"id\":\"1\",\"version\":0}\n");
  expect_error(
      {"explore", path("space.yaml"), "--workload", path("net.csv"), "--output", path("other")},
      "points.jsonl:1: a result of another version");
  write_text("other/points.jsonl", "{\"id\":\"1\",\"version\":1,\"cycles_version\":3}\n");
  expect_error(
      {"explore", path("space.yaml"), "--workload", path("net.csv"), "--output", path("other")},
      "points.jsonl:1: a result of another version: use another folder, or remove the file");
  write_text("other/points.jsonl", "nonsense\n");
  expect_error(
      {"explore", path("space.yaml"), "--workload", path("net.csv"), "--output", path("other")},
      "points.jsonl:1: not a result of mxe explore");
  write_text("other/points.jsonl", std::string(100000, '[') + "\n");
  expect_error(
      {"explore", path("space.yaml"), "--workload", path("net.csv"), "--output", path("other")},
      "points.jsonl:1: not a result of mxe explore");
  // A record of this version and name that lacks one member.
  for (const char* key : {"cycles", "seconds", "area", "energy", "layers", "utilisation",
                          "bound_by", "weight_bytes", "kv_bytes", "kv_formats", "b_bytes"}) {
    explore("whole");
    nlohmann::json point = points("whole").at(0);
    point.erase(key);
    write_text("whole/points.jsonl", point.dump() + "\n");
    expect_error(
        {"explore", path("space.yaml"), "--workload", path("net.csv"), "--output", path("whole")},
        "points.jsonl:1: an incomplete result of mxe explore");
    std::filesystem::remove(path("whole/points.jsonl"));
  }
}

// Only activates, reads and writes take energy: 1 V x 8 devices x 0.625 ns = 5 pJ per mA and tCK.
// One row: 1 mA x 74 tCK x 5 = 370 pJ. A read: 100 mA x 4 tCK x 5 = 2000 pJ, a write 1000 pJ.
TEST_F(Explore, EnergyOfTheDramByItsCommands) {
  const std::string memory =
      "ddr4-3200:refresh=off,columns=65536,map=ro-ra-ba-bg-ch-co,VDD=1,IDD0=1,IDD2N=0,IDD3N=0,"
      "IDD4R=100,IDD4W=50,IDD5B=0";
  write_text("space.yaml", "parameters: {memory: [\"" + memory + "\", ddr5-4800]}\n");
  write_text("net.csv", "layer,M,N,K,count\none,1,24,64,3\n");
  explore("out");
  mxe_json({"estimate", "1", "24", "64", "--format-a", "mxfp8_e4m3", "--format-b", "mxfp8_e4m3",
            "--memory", memory, "--bursts", path("trace"), "--burst-format", "ramulator"});
  const std::string trace = read_text("trace");
  const auto count = [&trace](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = trace.find(word, at)) != std::string::npos; at++) found++;
    return static_cast<double>(found);
  };
  ASSERT_GT(count("ST"), 1);
  unsigned measured = 0;
  for (const nlohmann::json& point : points("out")) {
    const nlohmann::json& energy = point.at("energy");
    EXPECT_EQ(energy.contains("dram_commands"), point.at("memory") == memory);
    EXPECT_NEAR(
        energy.at("dram"),
        32e-12 * (point.at("bytes_read").get<double>() + point.at("bytes_written").get<double>()),
        1e-18);
    if (!energy.contains("dram_commands")) continue;
    measured++;
    EXPECT_NEAR(energy.at("dram_commands"),
                3 * (370 + 2000 * count("LD") + 1000 * count("ST")) * 1e-12, 1e-15);
  }
  EXPECT_EQ(measured, 1u);
  const std::string once = read_text("out/points.jsonl");
  std::filesystem::remove(path("out/points.jsonl"));
  explore("out");
  EXPECT_EQ(read_text("out/points.jsonl"), once) << "from the cache";
}

// A comment in Latin-1, which space.json repeats.
TEST_F(Explore, SpacesInOtherEncodings) {
  write_text("space.yaml", "# f\xfcr\nparameters: {NUM_PE: 8}\n");
  explore("out");
  EXPECT_EQ(points("out").size(), 1u);
}

TEST_F(Explore, DamagedCaches) {
  write_text("space.yaml", "parameters: {NUM_PE: 8}\n");
  explore("out");
  const std::string right = read_text("out/points.jsonl");
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("out/cache"))) {
    if (entry.is_regular_file() && entry.path().filename() != "version") {
      files.push_back(entry.path().lexically_relative(path("")).string());
    }
  }
  ASSERT_EQ(files.size(), 1u);
  const std::string record = read_text(files[0]);
  const std::size_t begin = record.find("\n\n") + 2;
  for (const std::string& bad : {record.substr(0, record.size() - 5), record + "7\n",
                                 record.substr(0, begin) + "-" + record.substr(begin)}) {
    write_text(files[0], bad);
    write_text("out/points.jsonl", "");
    EXPECT_NE(explore("out").out.find("1 simulated"), std::string::npos);
    EXPECT_EQ(read_text("out/points.jsonl"), right);
    EXPECT_EQ(read_text(files[0]), record);
  }
}

// The trace of a layer equals that of `mxe estimate`; its file has the id of the point.
TEST_F(Explore, TracesOfTheFronts) {
  write_text("space.yaml", "parameters: {NUM_PE: [4, 8], mem_latency: 90}\n");
  explore("out", {"--traces", "1"});
  std::size_t traced = 0;
  for (const nlohmann::json& point : points("out")) {
    const std::string trace = "out/traces/" + point.at("id").get<std::string>() + ".json";
    if (!std::filesystem::exists(path(trace))) continue;
    traced++;
    EXPECT_TRUE(point.contains("pareto"));
    mxe_json({"estimate", "100", "64", "128", "--format-a", "mxfp8_e4m3", "--format-b",
              "mxfp8_e4m3", "--mem-latency", "90", "--set",
              "NUM_PE=" + to_string(point.at("parameters").at("NUM_PE")), "--trace",
              path("estimate.json")});
    EXPECT_EQ(events(trace), events("estimate.json"));
    EXPECT_GT(events(trace).size(), 100u);
  }
  EXPECT_EQ(traced, 1u);
  EXPECT_EQ(mxe({"report", path("out")}).exit_code, 0);
  EXPECT_NE(read_text("out/report.html").find(",\"traces/"), std::string::npos);
}

#ifdef MXE_WITH_RTL
TEST_F(Explore, CyclesOfTheRtlAreTheSame) {
  write_text("space.yaml",
             "config: small\nparameters: {mem_latency: [40, 90], format_a: mxint8}\n");
  const ProgramRun run = explore("out", {"--verify", "2"});
  std::size_t agreed = 0;
  for (std::size_t at = run.out.find("error 0 %"); at != std::string::npos;
       at = run.out.find("error 0 %", at + 1)) {
    agreed++;
  }
  EXPECT_EQ(agreed, 2u) << run.out;
}
#endif

}  // namespace
}  // namespace mxe::test
