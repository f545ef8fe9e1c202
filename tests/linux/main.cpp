// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/linux/guest.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  guest::sleep_us(20'000);  // from its second tick on, Linux has timers that are precise
  return RUN_ALL_TESTS();
}
