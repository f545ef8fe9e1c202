// mxe cosim: what it prints, writes and returns. What it finds is tested with planted faults
// (tests/faults).
#include <filesystem>

#include "run_mxe.h"

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

TEST_F(Cosim, RunsCaseFiles) {
  write_text("one.json", R"({"about": "one job", "batches": [{"jobs": [{"m": 3}]}]})");
  write_text("two.json", R"({"batches": [{"jobs": [{}, {"results": "bf16"}]}]})");
  const nlohmann::json json = run({"--case", path("one.json"), path("two.json")});
  EXPECT_EQ(json.at("jobs"), 3);
  EXPECT_EQ(json.at("cases"), 2);
}

TEST_F(Cosim, PassingCasesLeaveNothingBehind) {
  run({"--seeds", "1", "--jobs-per-seed", "2", "--waves-on-failure", path("waves")});
  EXPECT_FALSE(std::filesystem::exists(path("waves")));
}

TEST_F(Cosim, BadInput) {
  expect_error({"cosim", "--seeds", "0"}, "--seeds");
  expect_error({"cosim", "--jobs-per-seed", "-1"}, "--jobs-per-seed");
  expect_error({"cosim", "--config", "medium"}, "medium");
  expect_error({"cosim", "--config", "large", "--waves-on-failure", "waves"},
               "the RTL of configuration large has no waves, only small and base have");
  expect_error({"cosim", "--case", path("no.json")}, "cannot read");
  write_text("bad.json", "{\"batches\": [");
  expect_error({"cosim", "--case", path("bad.json")}, "bad.json: ");
  write_text("bad.json", R"({"batches": [{"jobs": [{"k": 0}]}]})");
  expect_error({"cosim", "--case", path("bad.json")},
               "batches[0], jobs[0] needs m, n and k of at least 1");
  expect_error({"cosim", "--seeds", "1", "--jobs-per-seed", "1", "--junit", "/nowhere/j.xml"},
               "cannot write '/nowhere/j.xml'");
}

}  // namespace
}  // namespace mxe::test
