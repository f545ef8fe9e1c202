// SPDX-License-Identifier: Apache-2.0
// mxe matmul --arithmetic structural --waves writes a VCD file with the RTL's signal names.
#include <algorithm>
#include <bitset>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

struct Dump {
  struct Signal {
    unsigned width = 0;
    std::string value;  ///< at the end, binary
    std::map<uint64_t, std::string> since;
  };
  std::map<std::string, Signal> signals;  ///< by path, `array.pe_0.sum_even`
  std::vector<uint64_t> times;

  bool times_ascend() const {
    return std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) == times.end();
  }
};

/// Throws std::runtime_error for unexpected text.
Dump read_vcd(const std::string& text) {
  Dump dump;
  std::map<std::string, Dump::Signal*> by_identifier;
  std::vector<std::string> scopes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, kind, name, identifier;
    words >> word;
    if (word == "$scope") {
      words >> kind >> name;
      scopes.push_back(name + ".");
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      unsigned width = 0;
      words >> kind >> width >> identifier >> name;
      std::string path;
      for (const std::string& scope : scopes) path += scope;
      Dump::Signal& signal = dump.signals[path + name];
      signal.width = width;
      if (!by_identifier.emplace(identifier, &signal).second) {
        throw std::runtime_error("two signals are " + identifier);
      }
    } else if (word.front() == '#') {
      dump.times.push_back(std::stoull(word.substr(1)));
    } else if (word.front() == 'b') {
      words >> identifier;
      Dump::Signal& signal = *by_identifier.at(identifier);
      signal.value = word.substr(1);
      signal.since[dump.times.back()] = signal.value;
      if (signal.value.size() != signal.width) throw std::runtime_error("a width: " + line);
    } else if (word != "$timescale" && word != "$enddefinitions") {
      throw std::runtime_error("not VCD: " + line);
    }
  }
  if (!scopes.empty()) throw std::runtime_error("a scope is open");
  return dump;
}

class Waves : public CliTest {
 protected:
  std::vector<std::string> command(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"matmul",     path("a.npy"), path("b.npy"),
                                       "--format-a", "mxint8",      "--format-b",
                                       "mxint8",     "--config",    "small"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(Waves, HaveTheNamesAndValuesOfTheRtl) {
  // Two rows: 32 times 3 * 0.5, and 32 times -1 * 0.5.
  std::vector<float> a(64, 3.0f);
  std::fill(a.begin() + 32, a.end(), -1.0f);
  write_floats("a.npy", a, {2, 32});
  write_floats("b.npy", std::vector<float>(32, 0.5f), {32, 1});
  const ProgramRun run =
      mxe(command({"--on", "model", "--arithmetic", "structural", "--waves", path("w.vcd")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string text = read_text("w.vcd");
  EXPECT_EQ(text.rfind("$timescale 1 ns $end\n", 0), 0u);
  const Dump dump = read_vcd(text);
  const Dump::Signal& sum = dump.signals.at("array.pe_0.facc_even.acc_o");
  ASSERT_EQ(sum.since.size(), 2u) << "one for each row";
  EXPECT_EQ(sum.since.rbegin()->first, sum.since.begin()->first + 1);
  EXPECT_EQ(sum.value, "11000001100000000000000000000000");
  EXPECT_EQ(dump.signals.at("array.pe_0.facc_even.sum_i").width, 70u);
  EXPECT_EQ(dump.signals.at("array.pe_0.scale_even.exp_o").width, 10u);
  EXPECT_EQ(dump.signals.at("array.pe_0.scale_even.nan_o").value, "0");
  EXPECT_EQ(dump.signals.count("array.pe_3.facc_odd.acc_win_q1"), 1u);
  EXPECT_EQ(dump.signals.count("array.pe_4.facc_even.acc_o"), 0u) << "there are four PEs";
  // The job is ahead for a cycle, then runs: valid, turn 0.
  const auto& ahead = dump.signals.at("cmd.ahead").since;
  const auto& runs = dump.signals.at("cmd.run_q").since;
  ASSERT_EQ(ahead.size(), 3u);
  const uint64_t read = std::next(ahead.begin())->first;
  using Since = std::map<uint64_t, std::string>;
  EXPECT_EQ(ahead, (Since{{0, "00000000"}, {read, "00001000"}, {read + 1, "00000000"}}));
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs.at(read + 1), "00001000");
  EXPECT_GT(runs.rbegin()->first, sum.since.rbegin()->first);
  EXPECT_EQ(dump.signals.at("cmd.wait_q").since, (Since{{0, "00000000"}}));
}

std::string binary32(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return std::bitset<32>(bits).to_string();
}

TEST_F(Waves, HaveTheBlocksOfTheDrain) {
  // 32 times 1 * 1, and 32 times 1 * 2 in the odd chain. Six columns are two segments; the second
  // has half the values. The largest, 96, gives the scale 2^(6 - 8): E4M3 codes of 384 and 192.
  write_floats("a.npy", std::vector<float>(64, 1.0f), {1, 64});
  std::vector<float> b(64 * 6, 1.0f);
  for (std::size_t k = 0; k < 64; k++) {
    for (std::size_t n = 0; n < 6; n++) b[k * 6 + n] = (k < 32 ? 1.0f : 2.0f) * (n < 4 ? 1 : 0.5f);
  }
  write_floats("b.npy", b, {64, 6});
  const ProgramRun run =
      mxe({"matmul", path("a.npy"), path("b.npy"), "--format-a", "mxfp4_e2m1", "--format-b",
           "mxfp4_e2m1", "--out-format", "mxfp8_e4m3", "--config", "small", "--on", "model",
           "--arithmetic", "structural", "--waves", path("w.vcd")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Dump dump = read_vcd(read_text("w.vcd"));
  EXPECT_TRUE(dump.times_ascend());

  using Since = std::map<uint64_t, std::string>;
  const auto since = [&](const std::string& name) {
    return dump.signals.at("drain." + name).since;
  };
  const Since sum = since("merge_0.facc.acc_o");
  ASSERT_EQ(sum.size(), 2u) << "a row in each of two tiles";
  const uint64_t first = sum.begin()->first, second = std::next(sum.begin())->first;
  EXPECT_EQ(sum, (Since{{first, binary32(96)}, {second, binary32(48)}}));
  EXPECT_EQ(since("merge_0.odd_i"), (Since{{first, binary32(64)}, {second, binary32(32)}}));
  // One cycle later in the drain's register, then two levels of comparisons.
  const std::string largest = "10000101100000000", half = "10000100100000000";
  EXPECT_EQ(since("requant.collect.amax.amax_o"),
            (Since{{first + 3, largest}, {second + 3, half}}));
  // The lanes read when all values are valid; codes follow five cycles later, a segment per cycle.
  const Since code = since("requant.lane_0.code_o");
  ASSERT_EQ(code.size(), 2u);
  const uint64_t encoded = code.begin()->first;
  EXPECT_EQ(encoded, second + 3 + 1 + 5);
  EXPECT_EQ(code, (Since{{encoded, "01111100"}, {encoded + 1, "01110100"}}));
  EXPECT_EQ(since("requant.collect.ramax_o"), (Since{{encoded, largest}}));
  EXPECT_EQ(since("requant.scale.scale_o"), (Since{{encoded, "01111101"}}));
}

TEST_F(Waves, TimesOfManyTilesAreInOrder) {
  write_random("a.npy", {20, 40}, 1);
  write_random("b.npy", {40, 12}, 2);
  const ProgramRun run = mxe(command({"--out-format", "mxfp6_e2m3", "--on", "model", "--arithmetic",
                                      "structural", "--waves", path("w.vcd")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Dump dump = read_vcd(read_text("w.vcd"));
  EXPECT_TRUE(dump.times_ascend());
  EXPECT_GT(dump.signals.at("drain.requant.scale.amax_i").since.size(), 15u) << "of 20 rows";
}

TEST_F(Waves, BadUsage) {
  write_floats("a.npy", std::vector<float>(32, 1.0f), {1, 32});
  write_floats("b.npy", std::vector<float>(32, 1.0f), {32, 1});
  const std::string needs = "--waves needs --on rtl, or --on model with --arithmetic structural";
  expect_error(command({"--on", "model", "--waves", path("w.vcd")}), needs);
  expect_error(command({"--on", "golden", "--waves", path("w.vcd")}), needs);
  expect_error(
      command({"--on", "model", "--arithmetic", "structural", "--waves", "/nowhere/w.vcd"}),
      "/nowhere/w.vcd: cannot create");
  expect_error(command({"--on", "golden", "--arithmetic", "structural"}),
               "--arithmetic needs --on model");
}

}  // namespace
}  // namespace mxe::test
