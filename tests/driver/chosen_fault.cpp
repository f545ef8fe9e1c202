// SPDX-License-Identifier: Apache-2.0
// What code with planted faults asks: the number of the one that is active, from the environment.
#include <cstdlib>

extern "C" int mxe_planted_fault() {
  static const char* number = std::getenv("MXE_FAULT");
  static const int fault = number ? std::atoi(number) : 0;
  return fault;
}
