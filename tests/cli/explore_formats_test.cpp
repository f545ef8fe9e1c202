// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "model/numerics/files/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

constexpr const char* kMixedSpace =
    "config: small\n"
    "parameters:\n"
    "  format_a: [mxfp8_e4m3, mxfp4_e2m1]\n"
    "  format_b: [mxfp8_e4m3, mxfp6_e2m3, mxfp4_e2m1]\n";

class ExploreFormats : public CliTest {
 protected:
  ExploreFormats() {
    write_text("space.yaml", kMixedSpace);
    write_text("net.csv", "layer,M,N,K,count\nin[0]*,16,64,96,1\nmid,16,32,64,3\nmid,8,32,64,1\n");
    write_tensors({{"in[0]*.a", {8, 96}},
                   {"in[0]*.b", {12, 96}},
                   {"mid.a", {8, 64}},
                   {"mid.b", {12, 64}},
                   {"mid.gain", {1}},
                   {"unused.a", {1, 32}},
                   {"unused.b", {1, 32}}});
  }

  void write_tensors(const std::map<std::string, std::vector<std::size_t>>& shapes) {
    std::mt19937 draw(18);
    std::vector<numerics::NamedTensor> tensors;
    for (const auto& [name, shape] : shapes) {
      numerics::NamedTensor tensor;
      tensor.name = name;
      tensor.array.shape = shape;
      std::size_t count = 1;
      for (const std::size_t size : shape) count *= size;
      for (std::size_t i = 0; i < count; i++) {
        const float value = 1 + static_cast<float>(draw() % 65536) / 65536;
        const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
        tensor.array.data.insert(tensor.array.data.end(), bytes, bytes + sizeof value);
      }
      tensors.push_back(tensor);
    }
    const std::vector<uint8_t> bytes = numerics::format_safetensors(tensors);
    std::ofstream(path("net.safetensors"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  std::vector<std::string> arguments(const std::vector<std::string>& more) {
    std::vector<std::string> all{"explore",       path("space.yaml"), "--workload",
                                 path("net.csv"), "--output",         path("out")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ProgramRun explore(std::vector<std::string> more) {
    more.insert(more.end(), {"--formats", "--tensors", path("net.safetensors")});
    const ProgramRun run = mxe(arguments(more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run;
  }
  void expect_formats_error(const std::string& message, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--formats", "--tensors", path("net.safetensors")});
    expect_error(arguments(more), message);
  }

  std::vector<nlohmann::json> lines(const std::string& file) {
    std::vector<nlohmann::json> all;
    std::istringstream text(read_text(file));
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

double noise(const nlohmann::json& layer) {
  return std::pow(10, -layer.at("sqnr_db").get<double>() / 10);
}

// Bits of the wider format of a point: 6 for "mxfp6_e2m3".
int bits_of(const nlohmann::json& point) {
  const auto bits = [&](const char* side) { return point.at(side).get<std::string>().at(4) - '0'; };
  return std::max(bits("format_a"), bits("format_b"));
}

std::string pair_of(const nlohmann::json& layer) {
  return layer.at("format_a").get<std::string>() + " x " + layer.at("format_b").get<std::string>();
}

// All 6 x 6 mixtures, computed from points.jsonl. The two layers named mid share formats and gain.
TEST_F(ExploreFormats, TheFrontIsThatOfAllMixtures) {
  explore({});
  std::ifstream file(path("net.safetensors"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::vector<numerics::NamedTensor> gains = numerics::parse_safetensors(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "net", "mid.gain");
  float gain = 0;
  std::copy_n(gains[0].array.data.begin(), sizeof gain, reinterpret_cast<uint8_t*>(&gain));

  const std::vector<nlohmann::json> points = lines("out/points.jsonl");
  ASSERT_EQ(points.size(), 6u);
  std::map<uint64_t, double> all;  // least noise by cycles
  for (const nlohmann::json& in : points) {
    for (const nlohmann::json& mid : points) {
      const uint64_t cycles = in["layers"][0]["cycles"].get<uint64_t>() +
                              mid["layers"][1]["cycles"].get<uint64_t>() +
                              mid["layers"][2]["cycles"].get<uint64_t>();
      const double sum =
          noise(in["layers"][0]) + gain * noise(mid["layers"][1]) + gain * noise(mid["layers"][2]);
      const auto [at, is_new] = all.emplace(cycles, sum);
      if (!is_new) at->second = std::min(at->second, sum);
    }
  }
  std::vector<std::pair<uint64_t, double>> front;
  for (const auto& one : all) {
    if (front.empty() || one.second < front.back().second * (1 - 1e-12)) front.push_back(one);
  }
  const std::vector<nlohmann::json> mixtures = lines("out/formats.jsonl");
  ASSERT_EQ(mixtures.size(), front.size());
  EXPECT_GT(front.size(), 3u);
  for (std::size_t i = 0; i < front.size(); i++) {
    EXPECT_EQ(mixtures[i].at("cycles"), front[i].first);
    EXPECT_NEAR(mixtures[i].at("noise"), front[i].second, 1e-9 * front[i].second);
    EXPECT_NEAR(mixtures[i].at("sqnr_db"), -10 * std::log10(front[i].second), 1e-6);
    EXPECT_TRUE(mixtures[i].at("exact"));
  }
}

TEST_F(ExploreFormats, BudgetsGiveFormatMaps) {
  explore({});
  const std::vector<nlohmann::json> front = lines("out/formats.jsonl");
  ASSERT_GT(front.size(), 3u);
  for (std::size_t i = 0; i < front.size(); i++) {
    SCOPED_TRACE(i);
    const bool by_cycles = i % 2 != 0;
    const uint64_t cycles = front[i].at("cycles");
    std::ostringstream least;
    least.precision(17);
    least << front[i].at("sqnr_db").get<double>() - 1e-9;
    explore(by_cycles ? std::vector<std::string>{"--cycles-budget", std::to_string(cycles)}
                      : std::vector<std::string>{"--sqnr-budget", least.str()});
    const std::vector<nlohmann::json> again = lines("out/formats.jsonl");
    for (std::size_t j = 0; j < again.size(); j++) EXPECT_EQ(again[j].contains("chosen"), i == j);

    write_text("one.yaml", "config: small\nparameters: {format_a: mxint8}\n");
    const ProgramRun run =
        mxe({"explore", path("one.yaml"), "--workload", path("net.csv"), "--output",
             path("mapped" + std::to_string(i)), "--format-map", path("out/net.formats.yaml")});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json point = lines("mapped" + std::to_string(i) + "/points.jsonl").at(0);
    EXPECT_EQ(point.at("cycles"), cycles);
    EXPECT_EQ(pair_of(point["layers"][0]), pair_of(front[i]["layers"][0]));
    EXPECT_EQ(pair_of(point["layers"][1]), pair_of(front[i]["layers"][1]));
    EXPECT_EQ(pair_of(point["layers"][2]), pair_of(front[i]["layers"][1]));
  }
  const std::string beyond = std::to_string(front[0].at("cycles").get<uint64_t>() - 1);
  expect_formats_error("no formats run net in " + beyond + " cycles; the fastest take",
                       {"--cycles-budget", beyond});
  expect_formats_error("no formats give net an SQNR of 90 dB; the best is",
                       {"--sqnr-budget", "90"});
}

// A budget of SQNR gives for each layer the fewest bits in any mixture that meets it.
TEST_F(ExploreFormats, BudgetsTellTheFewestBits) {
  explore({});
  const std::vector<nlohmann::json> points = lines("out/points.jsonl");
  double gain = 0;  // of both layers mid together, from the noise of a mixture
  for (const nlohmann::json& mixture : lines("out/formats.jsonl")) {
    for (const nlohmann::json& in : points) {
      for (const nlohmann::json& mid : points) {
        if (pair_of(in) == pair_of(mixture["layers"][0]) &&
            pair_of(mid) == pair_of(mixture["layers"][1])) {
          gain =
              (mixture["noise"].get<double>() - noise(in["layers"][0])) / noise(mid["layers"][1]);
        }
      }
    }
  }
  std::vector<std::pair<int, int>> seen;
  for (const double budget : {8.0, 12.0, 16.0, 20.0, 24.0}) {
    SCOPED_TRACE(budget);
    int least_in = 99, least_mid = 99;
    for (const nlohmann::json& in : points) {
      for (const nlohmann::json& mid : points) {
        const double all = noise(in["layers"][0]) + gain * noise(mid["layers"][1]);
        if (-10 * std::log10(all) < budget) continue;
        least_in = std::min(least_in, bits_of(in));
        least_mid = std::min(least_mid, bits_of(mid));
      }
    }
    if (least_in == 99) continue;
    const ProgramRun run = explore({"--sqnr-budget", std::to_string(budget)});
    for (const nlohmann::json& mixture : lines("out/formats.jsonl")) {
      EXPECT_EQ(mixture["layers"][0].contains("least_bits"), mixture.contains("chosen"));
      if (!mixture.contains("chosen")) continue;
      EXPECT_EQ(mixture["layers"][0].at("least_bits"), least_in);
      EXPECT_EQ(mixture["layers"][1].at("least_bits"), least_mid);
      EXPECT_NE(run.out.find(std::to_string(least_in) + " bits  in[0]*: "), std::string::npos)
          << run.out;
    }
    if (seen.empty() || seen.back() != std::make_pair(least_in, least_mid)) {
      seen.emplace_back(least_in, least_mid);
    }
  }
  EXPECT_GE(seen.size(), 2u);
  EXPECT_EQ(explore({"--cycles-budget", "999999999"}).out.find("at least"), std::string::npos);
}

TEST_F(ExploreFormats, Nvfp4) {
  const std::string formats = ": [nvfp4, mxfp4_e2m1]\n";
  write_text("space.yaml",
             "config: small\nparameters:\n  format_a" + formats + "  format_b" + formats);
  const ProgramRun run = mxe(arguments({"--tensors", path("net.safetensors"), "--formats"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("no engine multiplies nvfp4 by mxfp4_e2m1"), std::string::npos) << run.out;
  std::map<std::string, nlohmann::json> points;
  for (const nlohmann::json& point : lines("out/points.jsonl")) {
    EXPECT_EQ(point.at("format_a"), point.at("format_b"));
    points[point.at("format_a")] = point;
  }
  ASSERT_EQ(points.size(), 2u);
  EXPECT_GT(points["nvfp4"].at("sqnr_db"), points["mxfp4_e2m1"].at("sqnr_db"));
  for (const auto& [format, point] : points) {
    std::vector<std::string> job{"estimate", "16",         "32",   "64",       "--format-a",
                                 format,     "--format-b", format, "--config", "small"};
    if (format == "nvfp4") job.emplace_back("--alpha");
    const uint64_t once = mxe_json(job).at("cycles");
    EXPECT_EQ(point.at("layers").at(1).at("cycles"), 3 * once) << format;
  }
  write_text("space.yaml", "parameters: {NVFP4: 0, format_a: nvfp4, format_b: nvfp4}\n");
  expect_error(arguments({}), "NVFP4 needs NVFP4 = 1");
  write_text("space.yaml",
             "config: small\nparameters: {format_a: [nvfp4, mxfp4_e2m1], format_b: nvfp4}\n"
             "constraints: [format_a == mxfp4_e2m1]\n");
  expect_error(arguments({}), "no point is possible: ");
}

// Without --tensors, explore runs the digits' network; one format in all layers gives `mxe demo`'s
// accuracy.
TEST_F(ExploreFormats, DigitsAreRead) {
  std::map<std::string, double> accuracy;
  const nlohmann::json demo = mxe_json({"demo"});
  for (const nlohmann::json& result : demo.at("results")) {
    if (result.at("format_a") == result.at("format_b")) {
      accuracy[result.at("format_b")] = result.at("accuracy");
    }
  }
  for (const std::string format : {"mxint8", "mxfp6_e2m3", "mxfp8_e4m3"}) {
    SCOPED_TRACE(format);
    const std::string formats = ": [" + format + ", mxfp4_e2m1]\n";
    write_text("space.yaml", "parameters:\n  format_a" + formats + "  format_b" + formats +
                                 "constraints: [format_a == format_b]\n");
    const ProgramRun run = mxe({"explore", path("space.yaml"), "--workload",
                                MXE_SOURCE_DIR "/sw/explore/workloads/digits.csv", "--output",
                                path(format), "--formats"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json best = lines(format + "/formats.jsonl").back();
    for (const nlohmann::json& layer : best.at("layers")) {
      EXPECT_EQ(pair_of(layer), format + " x " + format);
    }
    EXPECT_DOUBLE_EQ(best.at("correct").get<int>() / demo.at("images").get<double>(),
                     accuracy.at(format));
  }
}

TEST_F(ExploreFormats, BadInput) {
  expect_formats_error("--formats takes one budget",
                       {"--sqnr-budget", "20", "--cycles-budget", "9"});
  expect_formats_error("--formats is not for a --shard", {"--shard", "1/2"});
  expect_error(arguments({"--sqnr-budget", "20"}), "are for --formats");
  expect_error(arguments({"--formats"}), "--formats needs tensors in[0]*.a and in[0]*.b");
  expect_error(arguments({"--tensors", path("a"), path("b"), path("c")}), "--tensors needs two");
  write_text("space.yaml", std::string(kMixedSpace) + "search: {method: random, budget: 2}\n");
  expect_formats_error("--formats is for spaces without a search");
  write_text("space.yaml", std::string(kMixedSpace) + "  mem_latency: [64, 65]\n");
  expect_formats_error("--formats needs a space of one engine with one memory");
  write_text("space.yaml", "parameters: {format_a: mxint8}\n");
  expect_formats_error("--formats needs a space of several pairs");

  write_text("space.yaml", kMixedSpace);
  const std::pair<std::map<std::string, std::vector<std::size_t>>, const char*> kBad[] = {
      {{{"mid", {8, 64}}}, "are called LAYER.a, LAYER.b and LAYER.gain, not 'mid'"},
      {{{"mid.c", {8, 64}}}, "are called LAYER.a, LAYER.b and LAYER.gain, not 'mid.c'"},
      {{{"mid.a", {8, 64}}}, "the layer mid has no tensor mid.b"},
      {{{"mid.a", {8}}, {"mid.b", {8, 64}}}, "mid.a: A must be [M, K]"},
      {{{"mid.a", {8, 32}}, {"mid.b", {8, 64}}}, "they must be equal"},
      {{{"mid.a", {8, 64}}, {"mid.b", {8, 64}}, {"mid.gain", {2}}},
       "mid.gain must be one number of at least 0"},
      {{{"mid.a", {8, 64}}, {"mid.b", {8, 64}}}, "--formats needs tensors in[0]*.a"},
      {{{"in[0]*.a", {8, 64}}, {"in[0]*.b", {8, 64}}},
       "the tensors of the layer in[0]* have K = 64, but in net it has 96"},
  };
  for (const auto& [shapes, message] : kBad) {
    SCOPED_TRACE(message);
    write_tensors(shapes);
    expect_formats_error(message);
  }
}

}  // namespace
}  // namespace mxe::test
