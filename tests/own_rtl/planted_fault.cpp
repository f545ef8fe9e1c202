// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

/// Called by the faulty engine; returns the number of the active fault, from the environment.
extern "C" int mxe_planted_fault() {
  static const int number = [] {
    const char* text = std::getenv("MXE_PLANTED_FAULT");
    return text ? std::atoi(text) : 0;
  }();
  return number;
}
