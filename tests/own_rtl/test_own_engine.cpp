// SPDX-License-Identifier: Apache-2.0
// A user's engine in the regression: description, random cases, checks, and planted faults.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "model/numerics/base/error.h"
#include "mxe_regs.h"
#include "tb/cosim/job_generator.h"
#include "tb/regression/case_generator.h"
#include "tb/regression/regression.h"
#include "tests/faults/planted_fault.h"

namespace mxe::test {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

regression::Json description() {
  return regression::Json::parse(
      R"({"name": "mine", "parameters": {"config": "base", "NUM_PE": 1, "ROWS": 8, "ACC_TILES": 1,
    "TREE_W": 56, "FP4_DUAL": 0, "A_SLAB_K": 32, "B_BUF_K": 32, "MEM_W": 64, "QUEUE_DEPTH": 4,
    "MAX_BURST": 1}})");
}

cosim::EngineFeatures read(const regression::Json& json) {
  return regression::features_from_json(json, "it");
}

TEST(EngineDescription, EverythingUnlessItSaysOtherwise) {
  const cosim::EngineFeatures features = read(description());
  EXPECT_EQ(features.name, "mine");
  EXPECT_EQ(features.params.mem_w, 64u);
  EXPECT_EQ(features.results.size(), job::all_output_formats().size());
  EXPECT_TRUE(features.has_bias(true, false) && features.has_bias(true, true));
  EXPECT_TRUE(features.has_pair(numerics::FormatId::mxfp8_e5m2, numerics::FormatId::mxfp8_e4m3));
  EXPECT_FALSE(
      features.has_pair(numerics::FormatId::mxfp8_e5m2, numerics::FormatId::mxfp8_e5m2));  // TREE_W
}

TEST(EngineDescription, Restrictions) {
  regression::Json json = description();
  json["formats_a"] = {"mxfp8_e4m3", "mxint8"};
  json["formats_b"] = {"mxfp4_e2m1"};
  json["results"] = {"bf16", "mxint8"};
  json["bias"] = {"bf16"};
  json["counters"] = false;
  json["largest_job"] = 7u;
  json["timeout_cycles"] = 9u;
  const cosim::EngineFeatures features = read(json);
  EXPECT_TRUE(features.has_pair(numerics::FormatId::mxint8, numerics::FormatId::mxfp4_e2m1));
  EXPECT_FALSE(features.has_pair(numerics::FormatId::mxfp4_e2m1, numerics::FormatId::mxint8));
  EXPECT_FALSE(features.has_result(job::parse_output_format("fp32")));
  EXPECT_TRUE(features.has_result(job::parse_output_format("mxint8")));
  EXPECT_TRUE(features.has_bias(true, true) && features.has_bias(false, false));
  EXPECT_FALSE(features.has_bias(true, false));
  EXPECT_FALSE(features.counters);
  EXPECT_EQ(features.largest_job, 7u);
  EXPECT_EQ(features.timeout_cycles, 9u);
}

TEST(EngineDescription, BadOnesAreRefused) {
  const auto refusal = [](const char* member, const regression::Json& value) {
    regression::Json json = description();
    json[member] = value;
    return error_of([&] { read(json); });
  };
  EXPECT_EQ(refusal("formats_a", {"fp8"}), "it 'formats_a': there is no format 'fp8'");
  EXPECT_EQ(refusal("formats_b", regression::Json::array()), "it 'formats_b' is empty");
  EXPECT_EQ(refusal("results", "fp32"), "it 'results' must be an array of names");
  EXPECT_EQ(refusal("bias", {"int8"}), "it 'bias': a bias is fp32 or bf16, not int8");
  EXPECT_EQ(refusal("speed", 3), "it has no 'speed'");
  EXPECT_NE(refusal("parameters", {{"NUM_PE", 1}}).find("ROWS is missing"), std::string::npos);
  EXPECT_NE(refusal("parameters", {{"config", "tiny"}}).find("unknown configuration 'tiny'"),
            std::string::npos);
  EXPECT_NE(refusal("parameters", {{"config", 3}}).find("'config' must be a name"),
            std::string::npos);
  EXPECT_EQ(refusal("parameters", 1), "it needs 'parameters', an object");
}

TEST(EngineDescription, MayStartFromANamedConfiguration) {
  regression::Json json = description();
  json["parameters"] = {{"config", "small"}, {"TREE_W", 42}};
  Params expected = Params::named("small");
  expected.tree_w = 42;
  EXPECT_EQ(read(json).params, expected);
}

TEST(EngineDescription, JobsAreDrawnAccordingly) {
  regression::Json json = description();
  json["formats_a"] = {"mxfp8_e4m3"};
  json["results"] = {"fp32"};
  json["bias"] = regression::Json::array();
  json["largest_job"] = 50u;
  const cosim::EngineFeatures features = read(json);
  cosim::JobMix legal, some;
  some.illegal = 8;
  cosim::JobGenerator within(features, 1, legal), beyond(features, 1, some);
  int refused = 0;
  for (int i = 0; i < 300; i++) {
    const cosim::CosimJob job = within.next();
    EXPECT_EQ(job.refused_with(features), MXE_STATUS_OK) << job.describe();
    EXPECT_LE(job.m() * job.n() * job.a.scale_columns(), 50u);
    refused += beyond.next().refused_with(features) != MXE_STATUS_OK;
  }
  EXPECT_GT(refused, 30);
  EXPECT_LT(refused, 200);
}

TEST(LoadEngine, SaysWhatIsWrong) {
  EXPECT_NE(error_of([] { regression::load_engine("no_such.so"); }).find("cannot load the engine"),
            std::string::npos);
  EXPECT_NE(
      error_of([] { regression::load_engine(MXE_NO_ENGINE); }).find("is no engine: mxe_engine()"),
      std::string::npos);
  EXPECT_NE(error_of([] {
              regression::load_engine(MXE_OLD_ENGINE);
            }).find("was built for another version"),
            std::string::npos);
}

regression::RtlUnderTest simple_engine() {
  regression::RtlUnderTest rtl = regression::load_engine(MXE_SIMPLE_ENGINE);
  rtl.own->largest_job = 100;
  rtl.own->timeout_cycles = 2'000'000;
  return rtl;
}

std::string bucket_on(const regression::RtlUnderTest& rtl, std::size_t jobs = 30) {
  const regression::CasePool pool(
      [&](const regression::CoSimCase& c) { return regression::run_case(c, rtl); }, 1);
  return pool.run(regression::random_case(*rtl.own, 7, jobs)).bucket();
}

std::string bucket_of(const cosim::JobSpec& job, const regression::RtlUnderTest& rtl) {
  regression::CoSimCase one;
  one.batches.resize(1);
  one.batches[0].jobs = {job};
  return regression::CasePool(
             [&](const regression::CoSimCase& c) { return regression::run_case(c, rtl); }, 1)
      .run(one)
      .bucket();
}

TEST(OwnEngine, MustAgreeWithItsDescription) {
  regression::RtlUnderTest rtl = simple_engine();
  EXPECT_EQ(bucket_on(rtl), "");
  rtl.own->params.num_pe = 2;
  EXPECT_EQ(bucket_on(rtl, 1),
            "simulation: register NUM_PE reads #, the engine's description says #");
  rtl.own->params.num_pe = 1;
  rtl.own->params.mem_w = 128;
  EXPECT_EQ(bucket_on(rtl, 1), "simulation: the memory port of the RTL has # bits, not #");
}

TEST(OwnEngine, MustRefuseWhatItDoesNotClaim) {
  regression::RtlUnderTest rtl = simple_engine();
  cosim::JobSpec job;
  job.format_b = rtl.own->formats_b.back();
  EXPECT_EQ(bucket_of(job, rtl), "");
  rtl.own->formats_b.pop_back();
  EXPECT_EQ(
      bucket_of(job, rtl),
      "rtl: success (status #) instead of: this device does not support this pair of formats");
}

TEST(OwnEngine, MustDoWhatItClaims) {
  regression::RtlUnderTest rtl = simple_engine();
  rtl.own->results = job::all_output_formats();
  EXPECT_EQ(bucket_on(rtl, 1),
            "simulation: register FEATURES.mx_out reads #, the engine's description says #");
}

TEST(OwnEngine, TimesAreComparedOnlyIfWanted) {
  regression::RtlUnderTest rtl = simple_engine();
  EXPECT_EQ(bucket_of({}, rtl), "");
  rtl.cycle_tolerance = 1;  // the model is faster, by less than 100 %
  EXPECT_EQ(bucket_of({}, rtl), "");
  rtl.cycle_tolerance = 0;
  EXPECT_EQ(bucket_of({}, rtl), "both: # cycles on the model, # on the RTL");
}

struct Planted {
  int number;
  const char* name;
  const char* bucket;      ///< start of the bucket's text
  const char* state = "";  ///< part of the reported states
  std::size_t seeds = 5;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class OwnRegression : public testing::TestWithParam<Planted> {
 protected:
  ~OwnRegression() override { std::filesystem::remove_all(directory_); }

  regression::RegressionOptions options(std::size_t seeds = 5) const {
    regression::RegressionOptions options;
    options.rtl = simple_engine();
    options.config = options.rtl.own->name;
    options.seeds = seeds;
    options.jobs_per_seed = 60;
    options.parallel = 2;
    options.failures = directory_;
    options.shrink = {40, 300};  // by runs, not by time, so that results repeat
    return options;
  }
  static void no_progress(const std::string&) {}

  std::string directory_ = testing::TempDir() + "mxe_own_engine_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(OwnRegression, NothingIsFoundWithoutAFault) {
  const regression::RegressionResult result = regression::run_regression(options(), no_progress);
  EXPECT_EQ(result.jobs(), 300u);
  EXPECT_EQ(result.cases.front().name, "simple_engine-1");
  EXPECT_EQ(result.timed_jobs(), 0u);
  for (const regression::Failure& failure : result.failures) ADD_FAILURE() << failure.first.what;
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_P(OwnRegression, FindsBucketsAndShrinks) {
  plant_fault(GetParam().number);
  const regression::RegressionOptions options = this->options(GetParam().seeds);
  const regression::RegressionResult result = regression::run_regression(options, no_progress);
  ASSERT_FALSE(result.failures.empty()) << "the regression did not notice";
  const regression::Failure& failure = result.failures.front();
  std::printf("%s\n  %s\n  %s\n  in %zu cases, minimal: %s\n", failure.bucket.c_str(),
              failure.first.what.c_str(), failure.first.about.c_str(), failure.cases.size(),
              regression::to_json(regression::load_case(failure.case_file)).dump().c_str());
  EXPECT_EQ(failure.bucket.rfind(GetParam().bucket, 0), 0u) << failure.bucket;
  EXPECT_EQ(failure.library, MXE_SIMPLE_ENGINE);
  EXPECT_LE(failure.minimal_jobs, 6u);
  EXPECT_NE(failure.first.about.find(GetParam().state), std::string::npos) << failure.first.about;

  const regression::CasePool pool(
      [&](const regression::CoSimCase& c) { return regression::run_case(c, options.rtl); }, 1);
  const regression::CoSimCase minimal = regression::load_case(failure.case_file);
  EXPECT_EQ(pool.run(minimal).bucket(), failure.bucket);
  plant_fault(0);
  EXPECT_TRUE(pool.run(minimal).agreed());
}

INSTANTIATE_TEST_SUITE_P(
    SimpleEngine, OwnRegression,
    testing::Values(Planted{1, "DroppedSticky", "rtl: "}, Planted{3, "IgnoredNanScale", "rtl: "},
                    Planted{4, "OverflowWraps", "rtl: "}, Planted{5, "Bf16TiesUp", "rtl: "},
                    Planted{6, "ElementsBeyondK", "rtl: "}, Planted{7, "FirstRowOfBias", "rtl: "},
                    Planted{9, "MxResultsAllowed", "rtl: "}, Planted{10, "AbortedIsOk", "rtl: "},
                    Planted{11, "EndlessBlock", "simulation: the RTL '", "state_q StMac"},
                    Planted{12, "NoErrorInterrupt",
                            "simulation: a job completed on the rtl without an interrupt"},
                    Planted{13, "BlocksNotCounted", "rtl: counter blocks"},
                    Planted{14, "BurstAcross4KiB", "simulation: AXI protocol breach"},
                    Planted{16, "DataWithdrawn", "simulation: AXI protocol breach"},
                    Planted{17, "WriteBeyondRow", "rtl: "},
                    Planted{18, "ReadErrorIgnored", "rtl: "},
                    Planted{19, "WriteErrorIgnored", "rtl: ", "", 15}),
    [](const testing::TestParamInfo<Planted>& test) { return std::string(test.param.name); });

/// Faults that a few random jobs rarely reach.
TEST(OwnEngine, DirectedCasesFindRareFaults) {
  const regression::RtlUnderTest rtl = simple_engine();
  const regression::CasePool pool(
      [&](const regression::CoSimCase& one) { return regression::run_case(one, rtl); }, 1);
  const auto expect_found = [&](int fault, const std::string& case_file) {
    const regression::CoSimCase c = regression::load_case(MXE_DIRECTED_CASES "/" + case_file);
    plant_fault(0);
    EXPECT_EQ(pool.run(c).bucket(), "") << case_file;
    plant_fault(fault);
    EXPECT_EQ(pool.run(c).bucket().rfind("rtl: ", 0), 0u) << case_file;
  };
  expect_found(2, "infinity_times_zero.json");
  expect_found(8, "illegal_jobs.json");
}

}  // namespace
}  // namespace mxe::test
