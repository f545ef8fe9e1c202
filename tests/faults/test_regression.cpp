// SPDX-License-Identifier: Apache-2.0
// The regression finds planted faults, puts them into one bucket and shrinks a failing case.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/plugin_loader.h"
#include "tb/regression/regression.h"
#include "tb/regression/seed_results.h"
#include "tests/faults/planted_fault.h"

namespace mxe::test {
namespace {

const auto kFaulty = rtl::design_factory("mxe_rtl_faults");
const auto kWatched = rtl::design_factory("mxe_rtl_faults_values");

struct Planted {
  int number;
  const char* name;
  std::size_t largest_jobs;  ///< limit for the minimal case
  const char* block;         ///< block with the first wrong value; empty: none
  std::size_t seeds = 6;     ///< 1 for a hang, which takes long to detect
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

void no_progress(const std::string&) {}

regression::RegressionOptions options_for(std::size_t seeds, const std::string& directory) {
  regression::RegressionOptions options;
  options.first_seed = 3;
  options.seeds = seeds;
  options.jobs_per_seed = 40;
  options.parallel = 2;
  options.failures = directory;
  options.rtl = regression::RtlUnderTest(kFaulty, kWatched);
  options.shrink.seconds = 15;
  return options;
}

regression::RegressionResult run_with(int fault, std::size_t seeds, const std::string& directory) {
  plant_fault(fault);
  return regression::run_regression(options_for(seeds, directory), no_progress);
}

class Regression : public testing::TestWithParam<Planted> {
 protected:
  ~Regression() override {
    plant_fault(0);
    std::filesystem::remove_all(directory_);
  }
  std::string directory_ = testing::TempDir() + "mxe_regression_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Regression, NothingIsFoundWithoutAFault) {
  const regression::RegressionResult result = run_with(0, 6, directory_);
  EXPECT_EQ(result.jobs(), 240u);
  for (const regression::Failure& failure : result.failures) ADD_FAILURE() << failure.first.what;
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_F(Regression, AReplayThatAgreesClearsNoBlock) {
  regression::RegressionOptions options = options_for(6, directory_);
  options.rtl =
      regression::RtlUnderTest(kFaulty, [](const Params& params, const std::string& waves) {
        plant_fault(0);  // in the process that replays the case
        return kWatched(params, waves);
      });
  plant_fault(1);
  const regression::RegressionResult result = regression::run_regression(options, no_progress);
  ASSERT_FALSE(result.failures.empty());
  const regression::Failure& failure = result.failures.front();
  EXPECT_FALSE(failure.wrong_value);
  EXPECT_EQ(failure.first_wrong.rfind("not found: the replay agrees with the reference", 0), 0u)
      << failure.first_wrong;
}

std::string describe(const regression::RegressionResult& result) {
  std::string text;
  for (const regression::NamedResult& c : result.cases)
    text += c.name + " " + c.result.bucket() + "\n";
  for (const regression::Failure& f : result.failures) {
    text += f.bucket + " " + f.cases.front() + " " + std::to_string(f.cases.size()) + " " +
            f.first.what + " " + f.case_file + " " +
            regression::to_json(regression::load_case(f.case_file)).dump() + "\n";
  }
  return text;
}

TEST_F(Regression, PartsMergeToTheSameFailures) {
  regression::RegressionOptions options = options_for(4, directory_);
  options.shrink = {20, 1000};  // limits by runs, not by time, so that results repeat
  plant_fault(2);
  const std::string whole = describe(regression::run_regression(options, no_progress));
  std::filesystem::remove_all(directory_);

  std::vector<std::string> files;
  const auto run_part = [&](uint64_t first, std::size_t seeds) {
    regression::RegressionOptions part = options;
    part.first_seed = first;
    part.seeds = seeds;
    files.push_back(directory_ + std::to_string(first));
    regression::save_results(files.back(), regression::run_seeds(part, no_progress));
  };
  run_part(4, 3);
  run_part(3, 1);
  EXPECT_FALSE(std::filesystem::exists(directory_));  // parts are not reported
  EXPECT_EQ(describe(regression::report_seeds(regression::merge_results(files, options), options,
                                              no_progress)),
            whole);
  EXPECT_NE(whole.find("small-3"), std::string::npos);
  for (const std::string& file : files) std::filesystem::remove(file);
}

TEST_P(Regression, FindsBucketsAndShrinks) {
  const regression::RegressionResult result =
      run_with(GetParam().number, GetParam().seeds, directory_);
  ASSERT_FALSE(result.failures.empty());
  const regression::Failure& failure = result.failures.front();
  std::printf("%s\n  in %zu cases, minimal: %s\n", failure.bucket.c_str(), failure.cases.size(),
              regression::to_json(regression::load_case(failure.case_file)).dump().c_str());
  EXPECT_LE(failure.minimal_jobs, GetParam().largest_jobs);
  if (failure.bucket.find("hangs") != std::string::npos) {
    EXPECT_NE(failure.first.about.find("u_cmd.state_q StRun"), std::string::npos)
        << failure.first.about;
  }

  EXPECT_EQ(failure.wrong_value ? failure.wrong_value->block : "", GetParam().block)
      << failure.first_wrong;
  // Recordings show a value at the rising edge, 500 ps into a cycle.
  EXPECT_EQ(failure.wrong_value ? failure.wrong_value->time % 1000 : 500, 500u);

  const auto run = [](const regression::CoSimCase& c) {
    return regression::run_case(c, {kFaulty});
  };
  const regression::CoSimCase minimal = regression::load_case(failure.case_file);
  EXPECT_EQ(regression::CasePool(run, 1).run(minimal).bucket(), failure.bucket);
  plant_fault(0);
  EXPECT_TRUE(regression::CasePool(run, 1).run(minimal).agreed());
}

INSTANTIATE_TEST_SUITE_P(Rtl, Regression,
                         testing::Values(Planted{1, "ZeroedOutput", 1, "mxe_drain"},
                                         Planted{2, "SwappedScales", 1, "mxe_opbuf"},
                                         Planted{7, "IgnoredNanScale", 1, "mxe_scale"},
                                         Planted{8, "IgnoredBias", 1, "mxe_array"},
                                         Planted{11, "BankNeverReleased", 1, "", 1},
                                         Planted{12, "WrongJobId", 1, ""},
                                         Planted{13, "MissingLastBeat", 1, "mxe_wr_port"},
                                         Planted{14, "BurstAcross4KiB", 6, "mxe_bursts"}),
                         [](const testing::TestParamInfo<Planted>& test) {
                           return std::string(test.param.name);
                         });

}  // namespace
}  // namespace mxe::test
