// SPDX-License-Identifier: Apache-2.0
// Option values that every command refuses: empty ones, and numbers of another form.
#include <algorithm>
#include <iterator>
#include <map>
#include <regex>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Words = std::vector<std::string>;

class OptionValues : public CliTest {
 protected:
  /// A well-formed call of each of 11 commands; some fail later, for example without a file.
  std::vector<Words> commands() {
    write_floats("x.npy", {1, 2, 3, 4}, {2, 2});
    write_text("s.yaml", "parameters: {NUM_PE: [8]}\n");
    write_text("w.csv", "layer,M,N,K\nq,8,8,32\n");
    const std::string x = path("x.npy");
    return {{"quantize", x, "--format", "mxint8"},
            {"dequantize", "--elements", x, "--scales", x, "--format", "mxint8", "--output", x},
            {"compare", x},
            {"explain", "1", "--format", "mxint8"},
            {"diff", x, "--format", "mxint8", "--presets", "ocp,ocp-ceil"},
            {"matmul", x, x, "--format-a", "mxint8", "--format-b", "mxint8", "--on", "golden"},
            {"estimate", "8", "8", "32", "--format-a", "mxint8", "--format-b", "mxint8"},
            {"explore", path("s.yaml"), "--workload", path("w.csv")},
            {"generate", "8", "8", "64", "0", "0"},
            {"report", path("out")},
            {"demo"}};
  }

  /// Adds or replaces the option; the error message must name it.
  void expect_refused(Words command, const std::string& option, const std::string& value) {
    SCOPED_TRACE(command[0] + " " + option + " '" + value + "'");
    const auto known = std::find(command.begin(), command.end(), option);
    if (known == command.end()) {
      command.insert(command.end(), {option, value});
    } else {
      *std::next(known) = value;
    }
    expect_error(command, option);
  }
};

const std::vector<std::pair<std::string, Words>>& options_with_values() {
  static const std::vector<std::pair<std::string, Words>> kOptions{
      {"quantize",
       {"--tensor", "--format", "--preset", "--block", "--scale-format", "--axis", "--scale-rule",
        "--round", "--seed", "--tensor-scale", "--tensor-amax", "--row-amax", "--elements",
        "--scales", "--dequantized", "--pack", "--swizzle", "--threads"}},
      {"dequantize",
       {"--elements", "--scales", "--tensor", "--preset", "--block", "--scale-format",
        "--tensor-scale", "--tensor-amax", "--row-amax", "--output", "--dtype", "--axis", "--pack",
        "--swizzle", "--length"}},
      {"compare", {"--tensor", "--formats", "--presets"}},
      {"explain", {"--from", "--tensor", "--at", "--format", "--preset", "--block"}},
      {"diff", {"--tensor", "--axis", "--show"}},
      {"matmul",
       {"--preset-a",
        "--block-a",
        "--scale-format-b",
        "--elements-a",
        "--scales-b",
        "--tensor-scale-a",
        "--tensor-amax-b",
        "--row-amax-a",
        "--pack-a",
        "--swizzle-b",
        "--length-a",
        "--layer",
        "--expert",
        "--alpha",
        "--tensor",
        "--bias",
        "--bias-format",
        "--out-format",
        "--out-rule",
        "--out-overflow",
        "--accumulate",
        "--arithmetic",
        "--config",
        "--set",
        "--mem-latency",
        "--mem-bytes-per-cycle",
        "--mem-jitter",
        "--mem-outstanding-reads",
        "--mem-outstanding-writes",
        "--output",
        "--elements",
        "--scales",
        "--expect",
        "--trace",
        "--waves",
        "--threads"}},
      {"estimate",
       {"--batch", "--on", "--out-format", "--config", "--mem-latency", "--mem-bytes-per-cycle",
        "--trace", "--engines", "--split", "--waves"}},
      {"explore",
       {"--workload", "--batch", "--sequence", "--context", "--dim", "--output", "--parallel",
        "--cache", "--format-map", "--tensors", "--sqnr-budget", "--cycles-budget", "--traces",
        "--verify", "--shard", "--rows"}},
      {"generate", {"--data-root", "--format", "--seed", "--a", "--b"}},
      {"report", {"--output"}},
      {"demo", {"--data", "--config"}}};
  return kOptions;
}

TEST_F(OptionValues, EmptyOnesAreRefused) {
  for (const Words& command : commands()) {
    for (const auto& [name, options] : options_with_values()) {
      if (name != command[0]) continue;
      for (const std::string& option : options) expect_refused(command, option, "");
    }
  }
  expect_error({"quantize", "", "--format", "mxint8"}, "the value is empty");
  expect_error({"matmul", path("x.npy"), "", "--format-a", "mxint8", "--format-b", "mxint8", "--on",
                "golden"},
               "the value is empty");
}

TEST_F(OptionValues, WholeNumbersAreDecimalAndInRange) {
  const std::vector<std::pair<std::string, Words>> kWhole{
      {"quantize", {"--block", "--seed", "--threads"}},
      {"dequantize", {"--length", "--block"}},
      {"diff", {"--show"}},
      {"explain", {"--at"}},
      {"matmul",
       {"--mem-latency", "--mem-jitter", "--mem-outstanding-reads", "--mem-outstanding-writes",
        "--threads", "--block-a", "--block-b", "--length-a", "--expert"}},
      {"estimate", {"--batch", "--engines"}},
      {"explore",
       {"--batch", "--sequence", "--context", "--parallel", "--cycles-budget", "--traces",
        "--verify", "--rows"}},
      {"generate", {"--seed"}}};
  for (const Words& command : commands()) {
    for (const auto& [name, options] : kWhole) {
      if (name != command[0]) continue;
      for (const std::string& option : options) {
        for (const char* value : {"-1", "1.5", "nan", "inf", "0x10", "010", "1e3", "3x", " 3", "+3",
                                  "99999999999999999999", "-99999999999999999999"}) {
          expect_refused(command, option, value);
        }
      }
    }
  }
  for (const std::string axis : {"0x1", "01", "1.0", "9999999999", "nan", "--1"}) {
    expect_refused(commands()[0], "--axis", axis);
  }
  expect_error({"generate", "8", "8", "64", "2", "0"}, "TRANS_A");
  expect_error({"estimate", "010", "8", "32", "--format-a", "mxint8", "--format-b", "mxint8"},
               "'010' is not possible (allowed: decimal whole numbers of at least 0)");
}

// Every option in the help of commands(): with a word; one for integers, with 2^32 and -2^31 - 1.
TEST_F(OptionValues, MessagesAreOurs) {
  const std::regex listed(R"(\n  (--[a-z-]+)( [^ \n]+)?)");
  for (const Words& command : commands()) {
    const std::string help = mxe({command[0], "--help"}).out;
    std::size_t options = 0;
    for (std::sregex_iterator at(help.begin(), help.end(), listed), end; at != end; ++at) {
      const std::string option = (*at)[1], type = (*at)[2];
      if (option == "--help") continue;
      for (const std::string value : {"x", "4294967296", "-2147483649"}) {
        SCOPED_TRACE(command[0] + " " + option + "=" + value);
        Words words = command;
        words.push_back(option + "=" + value);
        const ProgramRun run = mxe(words);
        EXPECT_EQ(run.err.find("Could not convert"), std::string::npos) << run.err;
        if (value != "x") continue;
        if (type.empty()) {
          EXPECT_EQ(run.exit_code, 2);
          EXPECT_NE(run.err.find(option + ": 'x' is not possible (allowed: no value, "),
                    std::string::npos)
              << run.err;
        }
        if (type != " INT" && type != " UINT") break;
      }
      options++;
    }
    EXPECT_GE(options, 1u) << help;
  }
  const std::string natural =
      " is not possible (allowed: decimal whole numbers from 0 to 4294967295)";
  const std::string whole =
      " is not possible (allowed: decimal whole numbers from -2147483648 to 2147483647)";
  const std::vector<Words> all = commands();
  for (const auto& [option, message] :
       std::map<std::string, std::string>{{"--mem-latency", natural},
                                          {"--mem-outstanding-reads", natural},
                                          {"--mem-outstanding-writes", natural}}) {
    Words words = all[6];
    words.insert(words.end(), {option, "4294967296"});
    expect_error(words, option + ": '4294967296'" + message);
  }
  for (const std::size_t command : {0u, 1u}) {
    Words words = all[command];
    words.insert(words.end(), {"--axis", "-2147483649"});
    expect_error(words, "--axis: '-2147483649'" + whole);
    words = all[command];
    words.insert(words.end(), {"--block", "4294967296"});
    expect_error(words, "--block: '4294967296'" + natural);
  }
  const std::string number =
      "' is not possible (allowed: numbers, nan and inf; --format NAME is the format)";
  expect_error({"explain", "mxfp8_e4m3"}, "VALUE: 'mxfp8_e4m3" + number);
  expect_error({"explain", "1", "1,2", "--format", "mxint8"}, "VALUE: '1,2" + number);
}

TEST_F(OptionValues, RealNumbersAreFinite) {
  for (const char* value :
       {"nan", "NaN", "inf", "-inf", "infinity", "0x1p4", "1e400", "1..2", "3 4", "3x", "."}) {
    for (const Words& command : commands()) {
      if (command[0] == "explore") expect_refused(command, "--sqnr-budget", value);
      if (command[0] == "matmul" || command[0] == "estimate") {
        expect_refused(command, "--mem-bytes-per-cycle", value);
      }
      if (command[0] == "matmul") {
        for (const char* option : {"--alpha", "--tensor-scale-a", "--tensor-amax-b"}) {
          expect_refused(command, option, value);
        }
      }
      if (command[0] == "quantize") {
        expect_refused(command, "--tensor-amax", value);
        expect_refused(command, "--tensor-scale", value);
      }
    }
  }
  expect_error({"matmul", path("x.npy"), path("x.npy"), "--format-a", "mxint8", "--format-b",
                "mxint8", "--on", "golden", "--mem-bytes-per-cycle", "nan"},
               "'nan' is not possible (allowed: finite decimal numbers)");
  const ProgramRun run = mxe({"explain", "nan", "inf", "-1", "--format", "mxint8"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(OptionValues, ListsHaveNoEmptyItems) {
  write_floats("x.npy", {1, 2, 3, 4}, {2, 2});
  for (const char* list : {",", "mxint8,", ",mxint8", "mxint8,,nvfp4"}) {
    expect_error({"compare", path("x.npy"), "--formats", list}, "has an empty item");
  }
  expect_error({"compare", path("x.npy"), "--presets", "ocp,,ocp-ceil"}, "has an empty item");
  expect_error({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp,,ocp-ceil"},
               "has an empty item");
  expect_error({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp"}, "two names");
  EXPECT_EQ(mxe_json({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp", "ocp-ceil"}),
            mxe_json({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp,ocp-ceil"}));
}

TEST_F(OptionValues, SizesArePositive) {
  for (const char* zero : {"0", "-0"}) {
    expect_error({"estimate", "--format-a", "mxint8", "--format-b", "mxint8", "--", zero, "8", "8"},
                 "'" + std::string(zero) + "' is not possible (allowed:");
    expect_error({"generate", "--", "8", zero, "64", "0", "0"}, "is not possible (allowed:");
  }
}

TEST_F(OptionValues, ShardsArePairsOfNaturalNumbers) {
  for (const Words& command : commands()) {
    if (command[0] != "explore") continue;
    for (const char* shard : {"1", "1/", "/2", "0/2", "3/2", "1/-1", "-1/2", "+1/2", " 1/2", "1/2x",
                              "1/99999999999999999999", "1/0x2", "1/2/3"}) {
      expect_refused(command, "--shard", shard);
    }
  }
}

TEST_F(OptionValues, BlocksAreOfOneToTwoTo31) {
  write_floats("x.npy", {1, 2, 3, 4}, {2, 2});
  const Words quantize{"quantize", path("x.npy"), "--format", "mxint8", "--scales", path("s.npy")};
  for (const char* block : {"0", "4294967295", "2147483648"}) {
    Words command = quantize;
    command.insert(command.end(), {"--block", block});
    expect_error(command,
                 "the block size cannot be " + std::string(block) + " (allowed: 1 to 2147483647)");
  }
  Words large = quantize;
  large.insert(large.end(), {"--block", "2147483647"});  // only two elements need memory
  const ProgramRun run = mxe(large);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_bytes("s.npy", {2, 1}), (std::vector<uint8_t>{128, 129}));
}

TEST_F(OptionValues, OptionsThatChangeNothingAreRefused) {
  write_floats("x.npy", {1, 2, 3, 4}, {2, 2});
  const std::string x = path("x.npy");
  expect_error({"quantize", x, "--format", "mxint8", "--seed", "1"},
               "a seed is for stochastic rounding");
  expect_error(
      {"quantize", x, "--format", "e2m1", "--scale-format", "e4m3", "--scale-rule", "even"},
      "a scale rule is for power-of-two scales, not for e4m3");
  expect_error(
      {"quantize", x, "--format", "nvfp4", "--preset", "nvfp4-te-pow2", "--tensor-amax", "1"},
      "a tensor amax is for presets with a scale of the whole tensor");
}

}  // namespace
}  // namespace mxe::test
