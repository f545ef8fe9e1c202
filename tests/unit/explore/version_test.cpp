// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sw/explore/cache.h"
#include "sw/explore/content_hash.h"

namespace mxe::explore {
namespace {

// If the cycles of jobs change, the version must change, because cached results become invalid.
TEST(Version, IsThatOfTheCycles) {
  const auto baseline = read_whole(MXE_CYCLE_BASELINE);
  ASSERT_TRUE(baseline);
  EXPECT_EQ(content_hash(*baseline), kCyclesVersion)
      << "the cycle baseline changed: renew kCyclesVersion in sw/explore/content_hash.h";
}

}  // namespace
}  // namespace mxe::explore
