// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>

#include "mxe_counter_table.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Words = std::vector<std::string>;

class Estimate : public CliTest {
 protected:
  nlohmann::json estimate(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"estimate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mxe_json(arguments);
  }
};

TEST_F(Estimate, KeysAndSums) {
  const nlohmann::json json =
      estimate({"64", "48", "256", "--format-a", "mxfp8_e4m3", "--format-b", "mxfp6_e3m2"});
  EXPECT_EQ(json.at("m"), 64);
  EXPECT_EQ(json.at("n"), 48);
  EXPECT_EQ(json.at("k"), 256);
  EXPECT_EQ(json.at("format_a"), "mxfp8_e4m3");
  EXPECT_EQ(json.at("format_b"), "mxfp6_e3m2");
  EXPECT_EQ(json.at("on"), "model");
  EXPECT_EQ(json.at("config"), "base");
  EXPECT_EQ(json.at("counters").at("blocks"), 64 * 48 * 8);
  const uint64_t cycles = json.at("cycles");
  EXPECT_GE(cycles, 64u * 48 * 256 / (8 * 32));
  EXPECT_NEAR(json.at("utilization"), 64.0 * 48 * 256 / (8 * 32 * static_cast<double>(cycles)),
              1e-12);
  EXPECT_GE(json.at("bytes_read"), 64 * 256);
  EXPECT_EQ(json.at("bytes_written"), 64 * 48 * 4 + 16) << "the result and the completion record";
}

TEST_F(Estimate, OutputFormatMatters) {
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> job{"64",         "48",         "32",        "--format-a",
                                 "mxfp8_e4m3", "--format-b", "mxfp6_e3m2"};
    job.insert(job.end(), more.begin(), more.end());
    return estimate(job);
  };
  EXPECT_EQ(with({}).at("out_format"), "fp32");
  const nlohmann::json bf16 = with({"--out-format", "bf16"});
  EXPECT_EQ(bf16.at("out_format"), "bf16");
  EXPECT_EQ(bf16.at("bytes_written"), 64 * 48 * 2 + 16);
  EXPECT_EQ(with({"--out-format", "mxfp4_e2m1"}).at("bytes_written"), 64 * (24 + 2) + 16);
}

class EstimateDram : public Estimate {
 protected:
  // One row: the memory is the bound.
  const std::vector<std::string> job_{"1",          "256",        "1024",      "--format-a",
                                      "mxfp8_e4m3", "--format-b", "mxfp4_e2m1"};
  nlohmann::json with(const std::string& memory, const std::vector<std::string>& more = {}) {
    return estimate(arguments(memory, more));
  }
  void refuse(const std::string& memory, const std::string& message,
              const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"estimate"};
    const std::vector<std::string> rest = arguments(memory, more);
    words.insert(words.end(), rest.begin(), rest.end());
    expect_error(words, message);
  }

 private:
  std::vector<std::string> arguments(const std::string& memory,
                                     const std::vector<std::string>& more) {
    std::vector<std::string> words = job_;
    words.insert(words.end(), {"--memory", memory});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(EstimateDram, RowsAndRefreshesTakeTime) {
  const nlohmann::json ddr = with("ddr4-3200");
  EXPECT_EQ(ddr.at("memory").at("name"), "ddr4-3200");
  EXPECT_DOUBLE_EQ(ddr.at("memory").at("peak_gbs"), 25.6);
  const uint64_t cycles = ddr.at("cycles"), ideal = with("ddr4-3200:ideal").at("cycles");
  EXPECT_GT(cycles, ideal);
  EXPECT_LT(with("ddr4-3200:channels=2").at("cycles"), ddr.at("cycles"));
  EXPECT_GT(with("ddr4-3200:tRCD=30").at("cycles"), ddr.at("cycles"));
  EXPECT_NE(with("ddr4-3200:map=ro-ra-ba-bg-ch-co").at("cycles"), ddr.at("cycles"));
  write_text("my.yaml", "preset: ddr4-3200\nCL: 26\n");
  EXPECT_GT(with(path("my.yaml")).at("cycles"), ddr.at("cycles"));
}

TEST_F(EstimateDram, AControllerThatReordersIsFaster) {
  const nlohmann::json model = with("ddr4-3200:controller=fr-fcfs", {"--config", "small"}),
                       rtl = with("ddr4-3200:controller=fr-fcfs",
                                  {"--config", "small", "--on", "rtl"}),
                       quick = with("ddr4-3200", {"--config", "small"});
  EXPECT_EQ(model.at("memory").at("controller"), "fr-fcfs");
  EXPECT_EQ(quick.at("memory").at("controller"), "quick");
  EXPECT_EQ(model.at("cycles"), rtl.at("cycles"));
  EXPECT_LT(1.2 * model.at("cycles").get<double>(), quick.at("cycles").get<double>());
}

TEST_F(EstimateDram, ASlowClockWaitsLess) {
  const uint64_t fast = with("ddr4-3200").at("cycles");
  const nlohmann::json slow = with("ddr4-3200", {"--clock-mhz", "250"});
  EXPECT_LT(slow.at("cycles"), fast);
  EXPECT_EQ(slow.at("memory").at("clock_mhz"), 250);
}

TEST_F(EstimateDram, ListsThePresets) {
  const ProgramRun run = mxe({"estimate", "--memory", "list"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("ddr5-4800          38.4     51.7  Ramulator 2.1"), std::string::npos)
      << run.out;
}

TEST_F(EstimateDram, RefusesBadInput) {
  refuse("ddr9", "unknown memory 'ddr9'; allowed: ddr4-3200, ");
  refuse("ddr4-3200:color=red", "color");
  refuse("ddr4-3200:map=ro-xx", "map");
  refuse("ddr4-3200:controller=fast", "controller=fast: allowed: quick, fr-fcfs");
  refuse(path("missing.yaml"), "missing.yaml");
  refuse("hbm3", "--memory excludes --mem-latency", {"--mem-latency", "40"});
  refuse("hbm3", "--memory excludes --mem-half-duplex", {"--mem-half-duplex"});
  refuse("hbm3", "several engines cannot share a DRAM", {"--engines", "2"});
  refuse("hbm3", "clock of 0.5 MHz; allowed: 1 to 10000", {"--clock-mhz", "0.5"});
  std::vector<std::string> words{"estimate", "--clock-mhz", "500"};
  words.insert(words.end(), job_.begin(), job_.end());
  expect_error(words, "--clock-mhz needs --memory");
}

TEST_F(EstimateDram, BurstsAreATraceForOtherSimulators) {
  const auto trace = [&](const char* format, const char* on) {
    with("ddr4-3200", {"--clock-mhz", "800", "--on", on, "--config", "small", "--bursts",
                       path("trace"), "--burst-format", format});
    std::vector<std::string> lines;
    std::istringstream text(read_text("trace"));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  };
  for (const char* format : {"dramsim3", "ramulator", "dramsys"}) {
    EXPECT_EQ(trace(format, "model"), trace(format, "rtl")) << format;
  }
  const std::vector<std::string> dramsim = trace("dramsim3", "model"),
                                 ramulator = trace("ramulator", "model"),
                                 dramsys = trace("dramsys", "model");
  ASSERT_EQ(dramsim.size(), dramsys.size());
  ASSERT_EQ(ramulator.size(), dramsys.size());
  for (std::size_t i = 0; i < dramsys.size(); i++) {
    uint64_t cycle = 0, address = 0, tck = 0, other = 0;
    char command[6], word[6], letters[3];
    ASSERT_EQ(std::sscanf(dramsys[i].c_str(), "%lu: (64) %5s %lx", &cycle, command, &address), 3);
    ASSERT_EQ(std::sscanf(dramsim[i].c_str(), "%lx %5s %lu", &other, word, &tck), 3);
    EXPECT_EQ(address, other);
    EXPECT_EQ(address % 64, 0u);
    EXPECT_EQ(tck, 2 * cycle) << "1.25 ns and 0.625 ns";
    EXPECT_EQ(std::string(word), std::string(command) == "write" ? "WRITE" : "READ");
    ASSERT_EQ(std::sscanf(ramulator[i].c_str(), "%2s %lx", letters, &other), 2);
    EXPECT_EQ(address, other);
    EXPECT_EQ(std::string(letters), std::string(command) == "write" ? "ST" : "LD");
  }
  refuse("hbm3", "--bursts needs --burst-format; allowed: dramsim3, ramulator, dramsys",
         {"--bursts", path("trace")});
  refuse("hbm3", "unknown format of bursts 'dramsim2'; allowed: dramsim3, ramulator, dramsys",
         {"--bursts", path("trace"), "--burst-format", "dramsim2"});
  refuse("hbm3", "--burst-format needs --bursts", {"--burst-format", "dramsys"});
  refuse("hbm3", "/nowhere/trace: cannot create",
         {"--bursts", "/nowhere/trace", "--burst-format", "dramsys"});
}

TEST_F(Estimate, SameCyclesAsMatmul) {
  write_random("a.npy", {37, 130}, 41);
  write_random("b.npy", {130, 21}, 42);
  for (const char* format : {"mxfp4_e2m1", "mxfp6_e2m3", "mxint8"}) {
    const nlohmann::json with_data =
        mxe_json({"matmul", path("a.npy"), path("b.npy"), "--format-a", format, "--format-b",
                  format, "--on", "model", "--config", "small"});
    const nlohmann::json without = estimate(
        {"37", "21", "130", "--format-a", format, "--format-b", format, "--config", "small"});
    EXPECT_EQ(without.at("cycles"), with_data.at("cycles")) << format;
    EXPECT_EQ(without.at("counters"), with_data.at("counters")) << format;
  }
}

TEST_F(Estimate, KindsAndBlocksOfScales) {
  write_random("a.npy", {37, 130}, 43);
  write_random("b.npy", {130, 21}, 44);
  const Words formats{"--format-a", "mxint8", "--format-b", "mxfp4_e2m1",
                      "--block-a",  "128",    "--block-b",  "64"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words nvfp4{"--format-a", "nvfp4", "--format-b", "nvfp4"};
  for (const Words& scales : {formats, nvfp4}) {
    const bool is_nvfp4 = scales == nvfp4;
    const nlohmann::json with_data = mxe_json(
        with(with({"matmul", path("a.npy"), path("b.npy"), "--on", "model", "--config", "small"},
                  scales),
             is_nvfp4 ? Words{"--preset-a", "nvfp4-te", "--preset-b", "nvfp4-te"} : Words{}));
    const nlohmann::json without =
        estimate(with(with({"37", "21", "130", "--config", "small"}, scales),
                      is_nvfp4 ? Words{"--alpha"} : Words{}));
    EXPECT_EQ(without.at("cycles"), with_data.at("cycles"));
    EXPECT_EQ(without.at("counters"), with_data.at("counters"));
    EXPECT_EQ(without.at("format_a"), is_nvfp4 ? "nvfp4" : "mxint8 in blocks of 128");
    EXPECT_LE(without.at("lower_bound"), without.at("cycles"));
  }
  // Beats of 32 bytes; one row of 512 elements: 512 bytes and 4 scales, 256 bytes and 8 scales.
  // NVFP4: twice 256 bytes and 32 scales.
  const auto bytes = [&](const Words& scales) {
    return estimate(with({"1", "1", "512"}, scales)).at("bytes_read").get<int>();
  };
  EXPECT_EQ(bytes(nvfp4) - bytes(formats), 2 * (256 + 32) - (512 + 32 + 256 + 32));
  expect_error(with({"estimate", "8", "8", "64"}, with(nvfp4, {"--block-a", "16"})),
               "nvfp4 has blocks of 16");
  expect_error({"estimate", "8", "8", "64", "--format-a", "nvfp4", "--format-b", "mxint8"},
               "no engine multiplies nvfp4 by mxint8");
  expect_error({"estimate", "8", "8", "64", "--format-a", "mxint8", "--format-b", "mxint8",
                "--block-a", "48"},
               "blocks of 48 elements (allowed: 16, 32, 64, 128)");
  expect_error({"estimate", "8", "8", "64", "--format-a", "nvfp5", "--format-b", "mxint8"},
               "unknown format 'nvfp5' (allowed: nvfp4, mxfp4_e2m1");
}

TEST_F(Estimate, LargeShapes) {
  const nlohmann::json json = estimate({"2048", "4096", "4096", "--format-a", "mxfp8_e4m3",
                                        "--format-b", "mxfp4_e2m1", "--config", "large"});
  EXPECT_EQ(json.at("config"), "large");
  EXPECT_GT(json.at("utilization"), 0.5);
}

TEST_F(Estimate, ParametersMatter) {
  const std::vector<std::string> job{"128",    "128",        "512",   "--format-a",
                                     "mxint8", "--format-b", "mxint8"};
  const auto cycles = [&](std::vector<std::string> more) {
    more.insert(more.begin(), job.begin(), job.end());
    return estimate(more).at("cycles").get<double>();
  };
  const double normal = cycles({});
  EXPECT_NEAR(cycles({"--set", "NUM_PE=16"}) / normal, 0.5, 0.1);
  EXPECT_GT(cycles({"--mem-bytes-per-cycle", "2"}), 2 * normal);
}

TEST_F(Estimate, FourBitPairsHaveTwiceThePeakRate) {
  const auto with = [&](const std::string& dual) {
    return estimate({"128", "128", "512", "--format-a", "mxfp4_e2m1", "--format-b", "mxfp4_e1m2",
                     "--set", "FP4_DUAL=" + dual});
  };
  for (const int dual : {0, 1}) {
    const nlohmann::json json = with(std::to_string(dual));
    const double peak = 8 * 32 * (dual + 1);
    EXPECT_NEAR(json.at("utilization"),
                128.0 * 128 * 512 / (peak * json.at("cycles").get<double>()), 1e-12);
  }
}

#ifdef MXE_WITH_RTL
TEST_F(Estimate, OnRtl) {
  const std::vector<std::string> job{"40",         "30",         "100",       "--format-a",
                                     "mxfp8_e5m2", "--format-b", "mxfp8_e5m2"};
  std::vector<std::string> on_rtl = job;
  on_rtl.insert(on_rtl.end(), {"--on", "rtl"});
  EXPECT_EQ(estimate(on_rtl).at("cycles"), estimate(job).at("cycles"));
}

TEST_F(Estimate, OutstandingBurstsOnRtl) {
  const auto cycles = [&](const std::string& reads, const std::string& writes,
                          const std::string& on) {
    return estimate({"70", "40", "64", "--format-a", "mxfp8_e5m2", "--format-b", "mxfp8_e5m2",
                     "--mem-latency", "200", "--mem-outstanding-reads", reads,
                     "--mem-outstanding-writes", writes, "--on", on})
        .at("cycles")
        .get<uint64_t>();
  };
  const uint64_t few = cycles("16", "16", "rtl"), reads = cycles("64", "16", "rtl"),
                 writes = cycles("16", "64", "rtl");
  EXPECT_EQ(few, cycles("16", "16", "model"));
  EXPECT_EQ(reads, cycles("64", "16", "model"));
  EXPECT_EQ(writes, cycles("16", "64", "model"));
  EXPECT_LT(reads, few);
  EXPECT_LT(writes, few);
}

TEST_F(Estimate, WavesOfTheRtl) {
  estimate({"3", "4", "40", "--format-a", "mxint8", "--format-b", "mxint8", "--config", "small",
            "--on", "rtl", "--waves", path("w.fst")});
  EXPECT_GT(read_text("w.fst").size(), 10'000u);
}
#endif

std::string text_of(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  std::string line, word;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    if (!(words >> word) || word != key) continue;
    std::getline(words >> std::ws, word);
    return word;
  }
  return "no " + key;
}

TEST_F(Estimate, TextNamesTheBound) {
  struct Case {
    std::vector<std::string> job;
    std::string bound, verb, rate;
    const char* bytes;
    double bytes_per_cycle;
  };
  const std::vector<Case> cases = {
      {{"128", "128", "512"}, "compute", "read", "32", "bytes_read", 32},
      {{"128", "128", "512", "--mem-bytes-per-cycle", "100"},
       "compute",
       "read",
       "32",
       "bytes_read",
       32},
      {{"128", "128", "512", "--mem-bytes-per-cycle", "2.5"},
       "memory",
       "read",
       "2.5",
       "bytes_read",
       2.5},
      {{"128", "128", "32", "--mem-bytes-per-cycle", "4"},
       "memory",
       "write",
       "4",
       "bytes_written",
       4}};
  for (const Case& c : cases) {
    std::vector<std::string> arguments{"estimate", "--format-a", "mxint8", "--format-b", "mxint8"};
    arguments.insert(arguments.end(), c.job.begin(), c.job.end());
    SCOPED_TRACE(testing::PrintToString(arguments));
    const ProgramRun run = mxe(arguments);
    const nlohmann::json json = mxe_json(arguments);
    const double k = std::stod(c.job[2]);
    const auto compute = static_cast<uint64_t>(128 * 128 * k / (8 * 32));
    const auto memory =
        static_cast<uint64_t>(std::ceil(json.at(c.bytes).get<double>() / c.bytes_per_cycle));
    EXPECT_EQ(text_of(run.out, "bound"), c.bound + ": " + std::to_string(compute) +
                                             " cycles to multiply, " + std::to_string(memory) +
                                             " to " + c.verb + " memory at " + c.rate +
                                             " bytes a cycle");
    EXPECT_EQ(text_of(run.out, "cycles"), json.at("cycles").dump());
    EXPECT_GE(json.at("cycles"), std::max(compute, memory)) << "not a bound";
  }
}

TEST_F(Estimate, TextShowsWhereTheClocksWent) {
  const std::vector<std::string> arguments{"estimate",   "70",         "50",
                                           "300",        "--format-a", "mxint8",
                                           "--format-b", "mxint8",     "--mem-bytes-per-cycle",
                                           "8"};
  const ProgramRun run = mxe(arguments);
  const nlohmann::json counters = mxe_json(arguments).at("counters");
  const double total = counters.at("total");
  long marks = 0;
  for (const CounterInfo& counter : counter_table) {
    if (!counter.part_of_total) continue;
    const std::string part = counter.name;
    std::istringstream line(text_of(run.out, part));
    uint64_t cycles = 0;
    double percent = -1;
    std::string sign, bar;
    line >> cycles >> percent >> sign >> bar;
    EXPECT_EQ(cycles, counters.at(part)) << part;
    const double share = static_cast<double>(cycles) / total;
    EXPECT_NEAR(percent, 100 * share, 0.0501) << part;
    EXPECT_EQ(sign, "%") << part;
    EXPECT_EQ(bar, std::string(static_cast<std::size_t>(std::lround(40 * share)), '#')) << part;
    marks += std::count(bar.begin(), bar.end(), '#');
  }
  EXPECT_NEAR(static_cast<double>(marks), 40, 3.5);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '#'), marks);
  EXPECT_EQ(text_of(run.out, "total"), counters.at("total").dump());
  EXPECT_EQ(text_of(run.out, "bytes_read"), counters.at("bytes_read").dump());
}

TEST_F(Estimate, EnginesShareAProduct) {
  const std::vector<std::string> job{
      "64", "96", "256", "--format-a", "mxfp8_e4m3", "--format-b", "mxint8", "--mem-latency", "64"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), job.begin(), job.end());
    return estimate(more);
  };
  const nlohmann::json alone = with({}), one = with({"--engines", "1"});
  EXPECT_EQ(one.at("cycles"), alone.at("cycles"));
  EXPECT_EQ(one.at("engines").at(0).at("counters"), alone.at("counters"));
  EXPECT_EQ(one.at("bound_cycles"), alone.at("bound_cycles"));
  EXPECT_EQ(one.at("engines").at(0).at("waited_cycles"), 0);
  for (const std::string split : {"m", "n"}) {
    const nlohmann::json team = with({"--engines", "4", "--split", split});
    EXPECT_EQ(team.at("split"), split);
    EXPECT_EQ(team.at("one_engine_cycles"), alone.at("cycles"));
    const auto cycles = team.at("cycles").get<double>();
    EXPECT_NEAR(team.at("speedup"), alone.at("cycles").get<double>() / cycles, 1e-9);
    EXPECT_GE(cycles, team.at("bound_cycles"));
    double slowest = 0;
    uint64_t blocks = 0;
    for (const nlohmann::json& engine : team.at("engines")) {
      slowest = std::max(slowest, engine.at("cycles").get<double>());
      blocks += engine.at("counters").at("blocks").get<uint64_t>();
      EXPECT_EQ(engine.at("cycles").get<int64_t>(), engine.at("alone_cycles").get<int64_t>() +
                                                        engine.at("waited_cycles").get<int64_t>());
      EXPECT_EQ(engine.at(split), split == "m" ? 16 : 24);
    }
    EXPECT_EQ(team.at("engines").size(), 4u);
    EXPECT_EQ(cycles, slowest);
    EXPECT_EQ(blocks, alone.at("counters").at("blocks"));
  }
  std::vector<std::string> text{"estimate", "--engines", "2"};
  text.insert(text.begin() + 1, job.begin(), job.end());
  const nlohmann::json two = with({"--engines", "2"});
  const ProgramRun run = mxe(text);
  EXPECT_EQ(text_of(run.out, "cycles"), two.at("cycles").dump());
  EXPECT_NE(run.out.find("n split among 2 engines"), std::string::npos);
  for (const nlohmann::json& engine : two.at("engines")) {
    EXPECT_NE(run.out.find(" " + engine.at("waited_cycles").dump() + " ("), std::string::npos);
  }
}

TEST_F(Estimate, BadInput) {
  const auto arguments = [](std::vector<std::string> more) {
    more.insert(more.begin(), "estimate");
    return more;
  };
  expect_error(arguments({"1", "2"}), "K is required");
  expect_error(arguments({"1", "2", "0", "--format-a", "mxint8", "--format-b", "mxint8"}), "K");
  expect_error(arguments({"1", "2", "3", "--format-a", "mxint8"}), "--format-b is required");
  expect_error(arguments({"1", "2", "3", "--format-a", "mxint8", "--format-b", "fp4"}),
               "unknown format 'fp4' (allowed: ");
  expect_error(
      arguments({"1", "2", "3", "--format-a", "mxint8", "--format-b", "mxint8", "--on", "golden"}),
      "golden has no clock: it cannot estimate cycles (allowed: model, rtl)");
  expect_error(
      arguments({"100000", "100000", "64", "--format-a", "mxint8", "--format-b", "mxint8"}),
      "bytes, the device has");
  expect_error(arguments({"1", "2", "3", "--format-a", "mxint8", "--format-b", "mxint8", "--waves",
                          path("w.vcd")}),
               "--waves needs --on rtl: an estimate of the model computes no values");
  const auto engines = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"9",      "16",         "3",      "--format-a",
                                 "mxint8", "--format-b", "mxint8", "--engines"};
    all.insert(all.end(), more.begin(), more.end());
    return arguments(all);
  };
  expect_error(engines({"0"}), "--engines");
  expect_error(engines({"9"}), "--engines");
  expect_error(engines({"2", "--split", "k"}), "unknown dimension 'k' to split (allowed: m, n)");
  expect_error(engines({"4"}), "16 columns cannot be split among 4 engines: 8 at least for each");
  expect_error(engines({"2", "--trace", path("t.json")}), "--engines excludes --trace");
  expect_error(arguments({"5000000000", "1", "1", "--format-a", "mxint8", "--format-b", "mxint8"}),
               "too large");
}

}  // namespace
}  // namespace mxe::test
