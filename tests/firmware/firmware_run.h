// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/cli/run_mxe.h"

namespace mxe::test {

inline std::string firmware(const std::string& name, int bits) {
  return MXE_FIRMWARE + name + std::to_string(bits) + ".elf";
}

inline std::vector<std::string> engines() {
#ifdef MXE_WITH_RTL
  return {"model", "rtl"};
#else
  return {"model"};
#endif
}

}  // namespace mxe::test
