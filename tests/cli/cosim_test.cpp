// SPDX-License-Identifier: Apache-2.0
// mxe cosim: output, files and exit codes. tests/faults shows that it finds errors.
#include <filesystem>
#include <regex>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class Cosim : public CliTest {
 protected:
  nlohmann::json run(std::vector<std::string> more, int exit_code = 0) {
    more.insert(more.begin(), {"cosim", "--parallel", "2"});
    return mxe_json(more, exit_code);
  }
};

TEST_F(Cosim, RandomJobsAgree) {
  const nlohmann::json json =
      run({"--seeds", "3", "--jobs-per-seed", "7", "--seed", "5", "--junit", path("junit.xml")});
  EXPECT_EQ(json.at("jobs"), 21);
  EXPECT_EQ(json.at("cases"), 3);
  EXPECT_EQ(json.at("mismatches"), 0);
  EXPECT_EQ(json.at("max_cycle_error"), 0);
  EXPECT_EQ(json.at("mean_cycle_error"), 0);
  EXPECT_GT(json.at("seconds"), 0.0);
  EXPECT_GT(json.at("rtl_cycles"), 1000);
  EXPECT_TRUE(json.at("failures").empty());
  const std::string junit = read_text("junit.xml");
  EXPECT_NE(junit.find(R"(tests="3" failures="0")"), std::string::npos) << junit;
  EXPECT_NE(junit.find(R"(name="small-7")"), std::string::npos) << junit;
}

TEST_F(Cosim, TheSeedReproduces) {
  const auto cycles = [&](const char* seed) {
    return run({"--seeds", "1", "--jobs-per-seed", "9", "--seed", seed}).at("rtl_cycles");
  };
  const nlohmann::json first = cycles("31");
  EXPECT_EQ(cycles("31"), first);
  EXPECT_NE(cycles("32"), first);
}

TEST_F(Cosim, RunsBehindDrams) {
  const auto cycles = [&](const std::vector<std::string>& memory) {
    std::vector<std::string> words = {"--seeds", "6", "--jobs-per-seed", "10", "--seed", "21"};
    words.insert(words.end(), memory.begin(), memory.end());
    const nlohmann::json json = run(words);
    EXPECT_EQ(json.at("mismatches"), 0) << json.at("failures");
    EXPECT_EQ(json.at("max_cycle_error"), 0);
    EXPECT_EQ(json.at("jobs"), 60);
    return json.at("rtl_cycles").get<uint64_t>();
  };
  const uint64_t slow = cycles({"--memory", "ddr4-3200"});
  EXPECT_NE(cycles({"--memory", "drawn"}), slow);
  EXPECT_LT(cycles({"--memory", "ddr4-3200", "--clock-mhz", "250"}), slow)
      << "a latency in ns has fewer cycles of a slower clock";
}

TEST_F(Cosim, RunsCaseFiles) {
  write_text("one.json", R"({"about": "one job", "batches": [{"jobs": [{"m": 3}]}]})");
  write_text("two.json", R"({"batches": [{"jobs": [{}, {"results": "bf16"}]}]})");
  const nlohmann::json json = run({"--case", path("one.json"), path("two.json")});
  EXPECT_EQ(json.at("jobs"), 3);
  EXPECT_EQ(json.at("cases"), 2);
}

TEST_F(Cosim, ArithmeticIsDrawnOrChosen) {
  const auto structural = [&](const char* arithmetic) {
    return run({"--seeds", "8", "--jobs-per-seed", "1", "--seed", "1", "--arithmetic", arithmetic})
        .at("structural_cases");
  };
  EXPECT_EQ(structural("golden"), 0);
  EXPECT_EQ(structural("structural"), 8);
  EXPECT_EQ(structural("drawn"), 1);
  write_text("golden.json", R"({"batches": [{"jobs": [{}]}]})");
  EXPECT_EQ(run({"--case", path("golden.json")}).at("structural_cases"), 0);
  EXPECT_EQ(
      run({"--case", path("golden.json"), "--arithmetic", "structural"}).at("structural_cases"), 1);
}

TEST_F(Cosim, PassingCasesLeaveNothingBehind) {
  run({"--seeds", "1", "--jobs-per-seed", "2", "--waves-on-failure", path("waves")});
  EXPECT_FALSE(std::filesystem::exists(path("waves")));
}

std::string timeless(const std::string& report) {
  static const std::regex kTime(R"((time="|"seconds":|cycles, )[0-9.e+-]+)");
  return std::regex_replace(report, kTime, "$1#");
}

class CosimParts : public Cosim {
 protected:
  void save_part(const std::string& name, const char* first, const char* count) {
    const ProgramRun part = mxe({"cosim", "--seed", first, "--seeds", count, "--jobs-per-seed", "4",
                                 "--parallel", "2", "--results", path(name)});
    EXPECT_EQ(part.exit_code, 0) << part.err;
  }
  std::vector<std::string> regression(std::vector<std::string> more) {
    more.insert(more.begin(), {"cosim", "--seed", "11", "--seeds", "5", "--jobs-per-seed", "4",
                               "--junit", path("junit.xml")});
    return more;
  }
  void expect_merge_error(const std::vector<std::string>& names, const std::string& message) {
    std::vector<std::string> arguments = regression({"--merge"});
    for (const std::string& name : names) arguments.push_back(path(name));
    expect_error(arguments, message);
  }
};

TEST_F(CosimParts, MergeToTheReportOfOneRun) {
  const std::string text = mxe(regression({})).out, junit = read_text("junit.xml");
  const std::string json = mxe(regression({"--json"})).out;
  save_part("a", "11", "2");
  save_part("b", "13", "1");
  save_part("c", "14", "2");
  const std::vector<std::string> merge = regression({"--merge", path("c"), path("a"), path("b")});
  EXPECT_EQ(timeless(mxe(merge).out), timeless(text));
  EXPECT_EQ(timeless(read_text("junit.xml")), timeless(junit));
  std::vector<std::string> merge_json = merge;
  merge_json.insert(merge_json.begin() + 1, "--json");
  EXPECT_EQ(timeless(mxe(merge_json).out), timeless(json));
  for (const auto& file : std::filesystem::directory_iterator(path("."))) {
    EXPECT_NE(file.path().filename().string().substr(0, 2), "a.");
  }
}

TEST_F(CosimParts, HaveEverySeedOnce) {
  save_part("a", "11", "2");
  save_part("b", "12", "1");
  save_part("c", "14", "2");
  save_part("d", "15", "2");
  expect_merge_error({"c"}, "none of the files has seed 11 to 13");
  expect_merge_error({"a"}, "none of the files has seed 13 to 15");
  expect_merge_error({"b", "c"}, "none of the files has seed 11, 13");
  expect_merge_error({"a", "c", "b"}, "seed 12 is in " + path("a") + " and " + path("b"));
  expect_merge_error({"a", "a"}, "seed 11 is in ");
  expect_merge_error({"a", "d"}, "d has seed 16, wanted are 11 to 15");
}

TEST_F(CosimParts, AreOfOneRegression) {
  save_part("a", "11", "5");
  expect_error({"cosim", "--seed", "11", "--seeds", "5", "--jobs-per-seed", "4", "--memory", "hbm2",
                "--merge", path("a")},
               "a was run with --config small --jobs-per-seed 4, not --config small "
               "--jobs-per-seed 4 --memory hbm2 --clock-mhz 1000");
  expect_error({"cosim", "--seed", "11", "--seeds", "5", "--jobs-per-seed", "5", "--config", "base",
                "--merge", path("a")},
               "a was run with --config small --jobs-per-seed 4, not --config base "
               "--jobs-per-seed 5");
}

TEST_F(CosimParts, AreWhole) {
  save_part("a", "11", "5");
  const std::string whole = read_text("a");
  write_text("half", whole.substr(0, whole.size() / 2));
  write_text("other", "{}");
  write_text("numbers", R"({"config": 1, "jobs_per_seed": "x"})");
  expect_merge_error({"half"}, "not valid JSON");
  expect_merge_error({"other"}, "other: not a file of mxe cosim --results");
  expect_merge_error({"numbers"}, "numbers: not a file of mxe cosim --results");
  expect_merge_error({"none"}, "none: cannot open: No such file");
  expect_error(
      {"cosim", "--seeds", "1", "--jobs-per-seed", "1", "--results", path("nowhere/results")},
      "nowhere/results: cannot create");
}

TEST_F(CosimParts, AreNotReportedAlone) {
  expect_error({"cosim", "--results", path("a"), "--json"}, "--json excludes --results");
  expect_error({"cosim", "--results", path("a"), "--junit", path("b")},
               "--junit excludes --results");
  expect_error({"cosim", "--merge", path("a"), "--case", path("b")}, "--case excludes --merge");
}

TEST_F(Cosim, CoverageOfAllCases) {
  run({"--seeds", "3", "--jobs-per-seed", "7", "--coverage", path("coverage")});
  const nlohmann::json coverage = nlohmann::json::parse(read_text("coverage/bins.json"));
  uint64_t ended = 0;
  for (const nlohmann::json& group : coverage.at("groups")) {
    if (group.at("name") != "status") continue;
    for (const auto& [status, times] : group.at("bins").items()) ended += times.get<uint64_t>();
  }
  EXPECT_GE(ended, 21u);  // more if a reset aborts a batch, which then runs again
  EXPECT_FALSE(std::filesystem::exists(path("coverage/lines.dat")));  // needs a separate build
}

TEST_F(Cosim, BadInput) {
  expect_error({"cosim", "--seeds", "0"}, "--seeds");
  expect_error({"cosim", "--jobs-per-seed", "-1"}, "--jobs-per-seed");
  expect_error({"cosim", "--config", "medium"}, "medium");
  expect_error({"cosim", "--config", "large", "--waves-on-failure", "waves"},
               "the RTL of configuration large has no waves, only small and base have");
  expect_error({"cosim", "--case", path("no.json")}, "no.json: cannot open: No such file");
  write_text("bad.json", "{\"batches\": [");
  expect_error({"cosim", "--case", path("bad.json")}, "bad.json:1: not valid JSON");
  write_text("bad.json", "{\n\n\"batches\": x}");
  expect_error({"cosim", "--case", path("bad.json")}, "bad.json:3: not valid JSON");
  write_text("bad.json", std::string(100000, '['));
  expect_error({"cosim", "--case", path("bad.json")}, "bad.json: nested too deeply");
  for (const char* empty : {"{}", R"({"batches": []})"}) {
    write_text("bad.json", empty);
    expect_error({"cosim", "--case", path("bad.json")}, "needs at least one batch in 'batches'");
  }
  for (const char* empty : {"{}", R"({"jobs": []})", R"({"jobs": [{}]}, {"empty_jobs": 1})"}) {
    write_text("bad.json", std::string(R"({"batches": [)") + empty + "]}");
    expect_error({"cosim", "--case", path("bad.json")}, "needs at least one job in 'jobs'");
  }
  for (const auto& [text, message] :
       {std::pair{R"({"memory": "ddr9", "batches": [{"jobs": [{}]}]})", "unknown memory 'ddr9'"},
        std::pair{R"({"memory": "hbm2", "mem_latency": 9, "batches": [{"jobs": [{}]}]})",
                  "has 'mem_latency', which 'memory' replaces"},
        std::pair{R"({"clock_mhz": 9, "batches": [{"jobs": [{}]}]})",
                  "has 'clock_mhz' without 'memory'"},
        std::pair{R"({"memory": "hbm2", "clock_mhz": 0, "batches": [{"jobs": [{}]}]})",
                  "clock of 0 MHz; allowed: 1 to 10000"}}) {
    write_text("bad.json", text);
    expect_error({"cosim", "--case", path("bad.json")}, message);
  }
  expect_error({"cosim", "--memory", "ddr9"}, "unknown memory 'ddr9'; allowed: ddr4-3200, ");
  expect_error({"cosim", "--clock-mhz", "500"}, "--clock-mhz needs --memory");
  expect_error({"cosim", "--memory", "drawn", "--clock-mhz", "500"},
               "--memory drawn excludes --clock-mhz");
  write_text("bad.json", R"({"batches": [{"jobs": [{"k": 0}]}]})");
  expect_error({"cosim", "--case", path("bad.json")},
               "batches[0], jobs[0] needs m, n, k and batch of at least 1");
  expect_error({"cosim", "--seeds", "1", "--jobs-per-seed", "1", "--junit", "/nowhere/j.xml"},
               "/nowhere/j.xml: cannot create: No such file");
}

}  // namespace
}  // namespace mxe::test
