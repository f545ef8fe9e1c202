// SPDX-License-Identifier: Apache-2.0
// Runs the tests or one program in Linux:
// mxe_linux_test [--insert] [--program PROGRAM] [--leaks COMMAND] [gtest options]
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/linux_driver/guest.h"

int main(int argc, char** argv) {
  std::string program, leaks;
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--insert") == 0 && mxe::test::insert_module() != 0) return 2;
    if (std::strcmp(argv[i], "--program") == 0) program = argv[++i];
    if (std::strcmp(argv[i], "--leaks") == 0) leaks = argv[++i];
  }
  if (!program.empty()) return std::system(program.c_str()) == 0 ? 0 : 1;
  mxe::test::sleep_us(20'000);  // from its second tick on, Linux has precise timers
  const int status = RUN_ALL_TESTS();
  return status == 0 && !leaks.empty() ? std::system(leaks.c_str()) : status;
}
