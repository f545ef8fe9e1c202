// SPDX-License-Identifier: Apache-2.0
// The driver's cases pass as firmware. Model and RTL agree in bytes, exit code, time and accesses.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/firmware/firmware_run.h"

extern "C" {
#include "tests/selftest/cases.h"
}

namespace mxe::test {
namespace {

#define NAME(name) #name,
const std::vector<std::string> kCases{DRIVER_CASES(NAME)};
#undef NAME

// A few of each kind: for long jobs the RTL is a hundred times slower than the model.
const std::vector<std::string> kFewCases{"registers_keep_what_is_written",
                                         "every_event_masked_and_not",
                                         "every_pair_of_formats",
                                         "results_in_every_format_by_every_rule",
                                         "results_that_overflow",
                                         "biases",
                                         "bus_error_on_scales_of_a",
                                         "bus_error_on_d",
                                         "bus_error_on_descriptors",
                                         "illegal_alignment",
                                         "spurious_interrupts",
                                         "handler_of_the_processor",
                                         "ring_wrapped",
                                         "number_of_32_bits_wraps",
                                         "deadline_of_a_running_job",
                                         "cancel_first",
                                         "cancel_last",
                                         "recover_after_every_error",
                                         "device_gone"};

class Selftest : public CliTest, public testing::WithParamInterface<int> {
 protected:
  ProgramRun run(const std::vector<std::string>& options, const std::vector<std::string>& names) {
    std::vector<std::string> words{"run", firmware("selftest", GetParam()), "--summary"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), names.begin(), names.end());
    return mxe(words);
  }

  static void expect_all_well(const ProgramRun& run, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += fmt::format("ok {}\n", name);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, text + fmt::format("{} cases, 0 failed\n", names.size()));
  }

  static void expect_same(const ProgramRun& one, const ProgramRun& other) {
    EXPECT_EQ(one.exit_code, other.exit_code);
    EXPECT_EQ(one.out, other.out);
    EXPECT_EQ(one.err, other.err);
  }
};

TEST_P(Selftest, PassesOnTheModelInEveryRun) {
  const ProgramRun first = run({}, {});
  expect_all_well(first, kCases);
  expect_same(first, run({"--quantum", "137"}, {}));
}

/// MXE_SELFTEST=all runs the whole list.
TEST_P(Selftest, PassesOnTheRtlAtTheSameTimes) {
  const char* wish = std::getenv("MXE_SELFTEST");
  const bool all = wish && std::string(wish) == "all";
  const std::vector<std::string>& names = all ? kCases : kFewCases;
  for (const std::string& engine : engines()) {
    const ProgramRun there = run({"--on", engine}, names);
    expect_all_well(there, names);
    expect_same(there, run({}, names));
  }
}

TEST_P(Selftest, ANarrowAdderTreeRefusesPairs) {
  const std::vector<std::string> names{"every_pair_of_formats", "illegal_pair"};
  expect_all_well(run({"--set", "TREE_W=42"}, names), names);
}

TEST_P(Selftest, OtherConfigurations) {
  for (const char* config : {"small", "large"}) {
    const std::vector<std::string> names{"results_that_overflow", "cancel_middle"};
    expect_all_well(run({"--config", config}, names), names);
  }
}

TEST_P(Selftest, FailsWithoutACase) {
  const ProgramRun none = run({}, {"no_such_case"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.out, "0 cases, 0 failed\n");
}

INSTANTIATE_TEST_SUITE_P(Bits, Selftest, testing::Values(32, 64));

}  // namespace
}  // namespace mxe::test
