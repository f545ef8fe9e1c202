// SPDX-License-Identifier: Apache-2.0
// `engines` in a space: several engines on one memory.
#include <sstream>
#include <string>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class ExploreEngines : public CliTest {
 protected:
  ExploreEngines() { write_text("net.csv", "layer,M,N,K,count\none,64,64,256,3\ntwo,1,8,512,1\n"); }

  std::vector<std::string> arguments(const std::vector<std::string>& more) {
    std::vector<std::string> all{"explore",       path("space.yaml"), "--workload",
                                 path("net.csv"), "--output",         path("out")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string explore(const std::string& space, const std::vector<std::string>& more = {}) {
    write_text("space.yaml", space);
    const ProgramRun run = mxe(arguments(more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }

  void refuse(const std::string& space, const std::string& message,
              const std::vector<std::string>& more = {}) {
    SCOPED_TRACE(space);
    write_text("space.yaml", space);
    expect_error(arguments(more), message);
  }

  std::vector<nlohmann::json> points() {
    std::vector<nlohmann::json> all;
    std::istringstream lines(read_text("out/points.jsonl"));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }

  nlohmann::json estimate(int m, int n, int k, const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "estimate",   std::to_string(m), std::to_string(n), std::to_string(k), "--format-a",
        "mxfp8_e4m3", "--format-b",      "mxfp8_e4m3",      "--mem-latency",   "50"};
    all.insert(all.end(), more.begin(), more.end());
    return mxe_json(all);
  }
};

TEST_F(ExploreEngines, SplitTheColumnsAndTheMemory) {
  const std::string out =
      explore("parameters: {engines: [1, 2, 4], mem_latency: 50, mem_bytes_per_cycle: 32}\n");
  const std::vector<nlohmann::json> found = points();
  ASSERT_EQ(found.size(), 3u);
  const nlohmann::json &one = found[0], &two = found[1], &four = found[2];
  EXPECT_EQ(one.at("engines"), 1);
  EXPECT_EQ(four.at("engines"), 4);
  const auto cycles = [](const nlohmann::json& point, int layer) {
    return point.at("layers").at(static_cast<std::size_t>(layer)).at("cycles").get<uint64_t>();
  };
  EXPECT_EQ(cycles(one, 0), 3 * estimate(64, 64, 256, {}).at("cycles").get<uint64_t>());
  const nlohmann::json half = estimate(64, 32, 256, {"--mem-bytes-per-cycle", "16"});
  EXPECT_EQ(cycles(two, 0), 3 * half.at("cycles").get<uint64_t>());
  EXPECT_EQ(two.at("layers").at(0).at("bytes_read"),
            3 * 2 * half.at("counters").at("bytes_read").get<uint64_t>());
  EXPECT_EQ(cycles(four, 0),
            3 * estimate(64, 16, 256, {"--mem-bytes-per-cycle", "8"}).at("cycles").get<uint64_t>());
  // Eight columns are one tile: the other engines are idle.
  EXPECT_EQ(cycles(four, 1), cycles(one, 1));
  EXPECT_EQ(four.at("area").at("ge"), 4 * one.at("area").at("ge").get<double>());
  EXPECT_EQ(four.at("energy").at("mac"), one.at("energy").at("mac"));
  EXPECT_GT(four.at("energy").at("dram"), one.at("energy").at("dram"));  // A is read by each
  for (const nlohmann::json& point : found) {
    EXPECT_LE(point.at("utilisation"), 1);
    EXPECT_LE(point.at("lower_bound"), point.at("cycles"));
    EXPECT_LE(point.at("bound_cycles"), point.at("cycles"));
  }
  EXPECT_NE(out.find("engines=2"), std::string::npos) << out;
  EXPECT_EQ(mxe({"report", path("out")}).exit_code, 0);
  // The slower engines have no other memory, so they compete with one engine.
  const std::string best = explore(
      "parameters: {engines: [1, 2, 4], mem_latency: 50, mem_bytes_per_cycle: 256}\n"
      "search: {method: front}\n",
      {"--parallel", "1"});
  EXPECT_NE(best.find("3 points on the fronts"), std::string::npos) << best;
  explore(
      "parameters: {engines: [1, 2, 4], mem_latency: 50}\n"
      "constraints: [engines * NUM_PE <= 16, area <= 4e6]\n");
  EXPECT_EQ(points().size(), 2u);
}

TEST_F(ExploreEngines, Refused) {
  refuse("parameters:\n  engines: [1, 9]\n",
         "space.yaml:2: engines must be a whole number from 1 to 8, not '9'");
  refuse("parameters: {engines: 0}\n",
         "space.yaml:1: engines must be a whole number from 1 to 8, not '0'");
  refuse("parameters: {engines: 1.5}\n", "space.yaml:1: engines must be a whole number, not '1.5'");
  refuse("parameters: {engines: 2, memory: ddr4-3200}\n",
         "no point is possible: several engines cannot share a DRAM; allowed: one engine");
  refuse("parameters: {engines: 2, mem_half_duplex: 1}\n",
         "no point is possible: several engines cannot share a half-duplex memory; allowed: one "
         "engine");
  refuse("parameters: {engines: [1, 2]}\n",
         "--verify is for points of one engine (engines: 1); several: mxe estimate --engines N "
         "--on rtl",
         {"--verify", "1"});
  refuse("parameters: {engines: [1, 2]}\n", "--traces is for points of one engine (engines: 1)",
         {"--traces", "1"});
}

}  // namespace
}  // namespace mxe::test
