// SPDX-License-Identifier: Apache-2.0
// The SystemC library has main(), which calls this function.
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
