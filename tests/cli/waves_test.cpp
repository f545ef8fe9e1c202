// SPDX-License-Identifier: Apache-2.0
// mxe matmul --arithmetic structural --waves: the file is a value change dump with the RTL's names.
#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

/// What a value change dump declares, and what its signals are at the end.
struct Dump {
  struct Signal {
    unsigned width = 0;
    std::string value;  ///< binary
  };
  std::map<std::string, Signal> signals;  ///< by path, `array.pe_0.sum_even`
  std::vector<uint64_t> times;
};

/// Reads what a VCD has; throws std::runtime_error at anything else.
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
  // Two rows of 32 times 3 * 0.5, and 32 times -1 * 0.5.
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
  ASSERT_EQ(dump.times.size(), 2u) << "one for each row";
  EXPECT_EQ(dump.times[1], dump.times[0] + 1);
  // The sum of the last row is -16, as binary32.
  EXPECT_EQ(dump.signals.at("array.pe_0.facc_even.acc_o").value,
            "11000001100000000000000000000000");
  EXPECT_EQ(dump.signals.at("array.pe_0.facc_even.sum_i").width, 70u);
  EXPECT_EQ(dump.signals.at("array.pe_0.scale_even.exp_o").width, 10u);
  EXPECT_EQ(dump.signals.at("array.pe_0.scale_even.nan_o").value, "0");
  EXPECT_EQ(dump.signals.count("array.pe_3.facc_odd.acc_win_q1"), 1u);
  EXPECT_EQ(dump.signals.count("array.pe_4.facc_even.acc_o"), 0u) << "there are four PEs";
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
