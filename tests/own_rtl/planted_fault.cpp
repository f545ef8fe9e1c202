// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

/// What the faulty engine asks: the number of the fault that is active, from the environment.
extern "C" int mxe_planted_fault() {
  static const int number = [] {
    const char* text = std::getenv("MXE_PLANTED_FAULT");
    return text ? std::atoi(text) : 0;
  }();
  return number;
}
