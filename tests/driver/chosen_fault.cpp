// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

extern "C" int mxe_planted_fault() {
  static const char* number = std::getenv("MXE_FAULT");
  static const int fault = number ? std::atoi(number) : 0;
  return fault;
}
