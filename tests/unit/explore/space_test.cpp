// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/space.h"

#include <gtest/gtest.h>

namespace mxe::explore {
namespace {

using Reasons = std::vector<std::pair<uint64_t, std::string>>;

Reasons reasons_of(const SkippedPoints& skipped) {
  Reasons reasons;
  for (const SkippedPoints::Reason& one : skipped.reasons()) {
    reasons.emplace_back(one.points, one.text);
  }
  return reasons;
}

TEST(SkippedPoints, CodeAndValuesMakeAReasonNotTheText) {
  SkippedPoints skipped;
  skipped.add({"b", "rule", {1, 2}});
  skipped.add({"a", "another rule", {1, 2}});
  skipped.add({"a", "another rule", {1, 3}});
  skipped.add({"c", "rule", {1, 2}});
  EXPECT_EQ(reasons_of(skipped), (Reasons{{2, "c"}, {1, "a"}, {1, "a"}}));
}

// Variables outside of their limits, NUM_PE above ROWS, and a TREE_W too small for the formats.
TEST(SkippedPoints, EveryLimitHasACode) {
  const struct {
    const char* variable;
    const char* values;  // a legal one and an illegal one
    const char* reason;
  } cases[] = {
      {"NUM_PE", "8, 3", "NUM_PE is 3, but must be"},
      {"NUM_PE", "8, 64", "ROWS is 32, but must be at least NUM_PE, which is 64"},
      {"mem_latency", "64, 0", "memory latency is 0 cycles"},
      {"mem_bytes_per_cycle", "0, 0.001", "memory bandwidth is 0.001 bytes per cycle"},
      {"mem_outstanding_reads", "8, 0", "outstanding reads of the memory are 0"},
      {"mem_outstanding_writes", "8, 0", "outstanding writes of the memory are 0"},
      {"clock_mhz", "1000, 0", "clock_mhz is 0"},
      {"TREE_W", "70, 42", "mxfp8_e5m2 times mxfp8_e5m2 needs TREE_W"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.variable);
    const Space space =
        Space::from_text(std::string("parameters:\n  format_a: mxfp8_e5m2\n  format_b: "
                                     "mxfp8_e5m2\n  ") +
                             one.variable + ": [" + one.values + "]\nconstraints: [ROWS < 64]\n",
                         "space.yaml");
    const Space::Points found = space.points();
    EXPECT_EQ(found.points.size(), 1u);
    const Reasons reasons = reasons_of(found.skipped);
    ASSERT_EQ(reasons.size(), 1u);
    EXPECT_EQ(reasons[0].first, 1u);
    EXPECT_EQ(reasons[0].second.rfind(one.reason, 0), 0u) << reasons[0].second;
  }
}

TEST(SkippedPoints, ConstraintsByTheirText) {
  const Space space = Space::from_text(
      "parameters: {ROWS: [16, 32, 64]}\nconstraints: [ROWS > 16, ROWS < 64]\n", "space.yaml");
  const Space::Points found = space.points();
  EXPECT_EQ(found.points.size(), 1u);
  EXPECT_EQ(reasons_of(found.skipped), (Reasons{{1, "ROWS < 64"}, {1, "ROWS > 16"}}));
}

}  // namespace
}  // namespace mxe::explore
