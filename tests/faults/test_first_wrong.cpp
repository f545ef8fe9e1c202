// SPDX-License-Identifier: Apache-2.0
// The first wrong value of a failing case is in the faulty block. Without faults there is none.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "model/platform/rtl/plugin_loader.h"
#include "tb/regression/case_generator.h"
#include "tb/regression/case_runner.h"
#include "tb/regression/shrink.h"
#include "tests/faults/planted_fault.h"

namespace mxe::test {
namespace {

const auto kFaulty = rtl::design_factory("mxe_rtl_faults");
const auto kWatched = rtl::design_factory("mxe_rtl_faults_values");

regression::CaseResult run(const regression::CoSimCase& cosim_case) {
  const regression::RtlUnderTest rtl(kFaulty, kWatched);
  return regression::CasePool(
             [&](const regression::CoSimCase& c) { return regression::run_watched(c, rtl); }, 1)
      .run(cosim_case);
}

struct Planted {
  int number;
  const char* name;
  const char* block;
  const char* step = "";
  const char* case_file = "";  ///< a directed case; empty: random cases
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class FirstWrong : public testing::TestWithParam<Planted> {
 protected:
  ~FirstWrong() override { plant_fault(0); }
};

TEST_P(FirstWrong, IsInTheBlockWithTheFault) {
  const Planted& fault = GetParam();
  plant_fault(fault.number);
  constexpr uint64_t kSeeds = 40;
  constexpr std::size_t kJobs = 20;
  const regression::CasePool pool(
      [](const regression::CoSimCase& c) { return regression::run_case(c, {kFaulty}); }, 1);
  const std::string file = fault.case_file;
  regression::CoSimCase found;
  regression::CaseResult failed;
  if (!file.empty()) {
    found = regression::load_case(MXE_DIRECTED_CASES "/" + file);
    failed = pool.run(found);
  }
  for (uint64_t seed = 1; seed <= kSeeds && file.empty() && failed.agreed(); seed++) {
    found = regression::random_case("small", seed, kJobs);
    failed = pool.run(found);
  }
  ASSERT_FALSE(failed.agreed()) << "no case notices";
  // Shrinking drops the jobs before the failing one, which take long.
  if (file.empty()) {
    found = regression::shrink(
        found, failed, [&](const regression::CoSimCase& c) { return pool.run(c); }, {40, 10});
  }
  const regression::CaseResult result = run(found);
  ASSERT_FALSE(result.agreed());
  ASSERT_TRUE(result.first_wrong) << result.mismatches.front().what;
  std::printf("| %d | %s | %s | %s |\n", fault.number, fault.name,
              result.first_wrong->describe().c_str(), result.mismatches.front().what.c_str());
  EXPECT_EQ(result.first_wrong->block, fault.block);
  EXPECT_EQ(result.first_wrong->step, fault.step);
}

INSTANTIATE_TEST_SUITE_P(
    Rtl, FirstWrong,
    testing::Values(Planted{1, "ZeroedOutput", "mxe_drain", "result"},
                    Planted{2, "SwappedScales", "mxe_opbuf", "scale of a word"},
                    Planted{3, "DroppedRoundingSticky", "mxe_facc", "normalise"},
                    Planted{4, "LaneShiftedByOne", "mxe_array", "A word"},
                    Planted{5, "DroppedAlignmentSticky", "mxe_facc", "align"},
                    Planted{6, "ElementsBeyondK", "mxe_decode_word", "elements within K"},
                    Planted{7, "IgnoredNanScale", "mxe_scale", "scale"},
                    Planted{8, "IgnoredBias", "mxe_array", "bias"},
                    Planted{9, "OddChainLost", "mxe_drain", "even or merged"},
                    Planted{10, "WriteBeyondRow", "mxe_wr_port", "strobes"},
                    Planted{14, "BurstAcross4KiB", "mxe_bursts", "length"},
                    Planted{16, "OddChainNegated", "mxe_merge", "merge"},
                    Planted{17, "DroppedElementSticky", "mxe_requant_lane", "round"},
                    Planted{18, "CeilIsFloor", "mxe_requant_scale", "scale"},
                    Planted{19, "ScaleInWrongColumn", "mxe_block_wr", "address"},
                    Planted{20, "TruncatedBf16", "mxe_drain", "round to BF16"},
                    Planted{21, "MagnitudeOfBlockBefore", "mxe_collect", "magnitude of a block"},
                    Planted{22, "NoiseBelowBf16Bias", "mxe_cbuf", "FP32"},
                    Planted{23, "AddressOf32Bits", "mxe_bursts", "address", "across_4gib.json"},
                    Planted{30, "StrideOf31Bits", "mxe_rows", "address", "far_apart.json"},
                    Planted{31, "BlocksOf16Bits", "mxe_job", "sizes", "long_sizes.json"},
                    Planted{44, "KLessByOneInLastBlock", "mxe_job", "sizes"},
                    Planted{49, "LastBytesNotFlushed", "mxe_wr_port", "strobes"},
                    Planted{50, "RowsBeginWithABeat", "mxe_wr_port", "length"},
                    Planted{54, "ResultTileOverwritten", "mxe_seq", "start"},
                    Planted{55, "OperandsOverwritten", "mxe_load", "banks"},
                    // The fault is in a function of mxe_pkg by which the drain rounds.
                    Planted{60, "Fp16WithoutSticky", "mxe_drain", "round to FP16"},
                    Planted{79, "DroppedStickyOfCollected", "mxe_narrow", "result"},
                    Planted{80, "BytesLeftByRowBeforeLost", "mxe_wr_port", "strobes"},
                    Planted{81, "StaleBytesBeyondRow", "mxe_drain", "result"},
                    Planted{82, "ScaleExponentOfRowBefore", "mxe_scaled_block", "scaled sum"},
                    Planted{83, "SubnormalScaleAsNormal", "mxe_scale_e4m3", "scale"},
                    Planted{84, "BlocksOf16Swapped", "mxe_scaled_block", "scaled sum"},
                    Planted{85, "NoBiasAfterAlpha", "mxe_drain", "C"}),
    [](const testing::TestParamInfo<Planted>& test) { return std::string(test.param.name); });

// Cases with many rows and columns: 30 seconds.
INSTANTIATE_TEST_SUITE_P(
    DISABLED_Long, FirstWrong,
    testing::Values(Planted{32, "RowsOf16Bits", "mxe_walk", "order", "long_sizes.json"},
                    Planted{59, "ColumnsOf24Bits", "mxe_job", "fields", "endless_jobs.json"}),
    [](const testing::TestParamInfo<Planted>& test) { return std::string(test.param.name); });

struct Faultless {
  uint64_t seed;
  std::size_t jobs;
};

void PrintTo(const Faultless& faultless, std::ostream* out) {
  *out << faultless.jobs << " jobs of seed " << faultless.seed;
}

class WithoutFault : public testing::TestWithParam<Faultless> {};

TEST_P(WithoutFault, NoValueIsWrong) {
  const auto [seed, jobs] = GetParam();
  const regression::CaseResult result = run(regression::random_case("small", seed, jobs));
  EXPECT_TRUE(result.agreed()) << result.mismatches.front().what;
  EXPECT_FALSE(result.first_wrong) << result.first_wrong->describe();
  EXPECT_GE(result.jobs, jobs);
  EXPECT_GT(result.values_compared, 1'000'000u);
  std::printf("%zu jobs, %llu values\n", result.jobs,
              static_cast<unsigned long long>(result.values_compared));
}

INSTANTIATE_TEST_SUITE_P(Rtl, WithoutFault, testing::Values(Faultless{3, 10}));
// Takes minutes: only with --gtest_also_run_disabled_tests.
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, WithoutFault,
                         testing::Values(Faultless{1, 40}, Faultless{2, 40}, Faultless{3, 40},
                                         Faultless{4, 40}, Faultless{5, 40}, Faultless{6, 40}));

}  // namespace
}  // namespace mxe::test
