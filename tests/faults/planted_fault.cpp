// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

/// Number of the selected fault; every program or library with planted faults contains it.
extern "C" int mxe_planted_fault() {
  static const int number = [] {
    const char* text = std::getenv("MXE_FAULT");
    return text ? std::atoi(text) : 0;
  }();
  return number;
}
