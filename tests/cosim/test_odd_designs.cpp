// SPDX-License-Identifier: Apache-2.0
// Random and directed cases on unnamed configurations: model and RTL agree to the cycle.
#include <gtest/gtest.h>

#include <string>

#include "tb/regression/case_generator.h"
#include "tb/regression/case_runner.h"
#include "tests/cosim/odd_designs.h"

namespace mxe::test {
namespace {

regression::RtlUnderTest odd_rtl(const std::string& name) {
  const OddDesign design = odd_design(name).value();
  regression::RtlUnderTest rtl(design.make_top);
  rtl.own = cosim::EngineFeatures(design.params);
  rtl.own->name = name;
  return rtl;
}

void expect_agreement(const regression::CaseResult& result) {
  EXPECT_GT(result.jobs, 0U);
  for (const cosim::Mismatch& mismatch : result.mismatches) {
    ADD_FAILURE() << mismatch.engine << ", job " << mismatch.job << ": " << mismatch.what << "\n"
                  << mismatch.about;
  }
}

class OddDesigns : public testing::TestWithParam<const char*> {};

TEST_P(OddDesigns, RandomCases) {
  const regression::RtlUnderTest rtl = odd_rtl(GetParam());
  const regression::CasePool pool(
      [&](const regression::CoSimCase& c) { return regression::run_case(c, rtl); }, 1);
  const uint64_t seeds = rtl.own->params.num_pe > 32 ? 1 : 3;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    SCOPED_TRACE(seed);
    expect_agreement(pool.run(regression::random_case(*rtl.own, seed, 30)));
  }
}

INSTANTIATE_TEST_SUITE_P(CoSim, OddDesigns,
                         testing::Values("narrow", "segments", "beats", "wide", "slim", "fat",
                                         "tall"),
                         [](const auto& test) { return std::string(test.param); });

struct OddCase {
  const char* design;
  const char* name;
};

void PrintTo(const OddCase& odd_case, std::ostream* out) { *out << odd_case.name; }

class OddCases : public testing::TestWithParam<OddCase> {};

TEST_P(OddCases, Agree) {
  const regression::RtlUnderTest rtl = odd_rtl(GetParam().design);
  const regression::CasePool pool(
      [&](const regression::CoSimCase& c) { return regression::run_case(c, rtl); }, 1);
  expect_agreement(
      pool.run(regression::load_case(std::string(MXE_ODD_CASES "/") + GetParam().name + ".json")));
}

INSTANTIATE_TEST_SUITE_P(CoSim, OddCases,
                         testing::Values(OddCase{"slim", "many_read_bursts"},
                                         OddCase{"tall", "many_write_bursts"},
                                         OddCase{"slim", "jitter_after_reset"},
                                         OddCase{"fat", "long_ring"}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace mxe::test
