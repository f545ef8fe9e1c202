// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "model/platform/soc/register_device.h"
#include "soc_map.h"

namespace mxe::soc {

class ExitRegister : public RegisterDevice {
 public:
  explicit ExitRegister(std::function<void(int code)> exit) : exit_(std::move(exit)) {}

  bool read(uint32_t /*offset*/, uint32_t& /*value*/) override { return false; }
  bool write(uint32_t offset, uint32_t value) override {
    if (offset != SOC_EXIT_CODE) return false;
    exit_(static_cast<int>(value & SOC_EXIT_CODE_CODE));
    return true;
  }

 private:
  std::function<void(int code)> exit_;
};

}  // namespace mxe::soc
