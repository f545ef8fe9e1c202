// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "model/platform/soc/register_device.h"

namespace mxe::soc {

/// Combines the devices' enabled interrupt lines. Lines are levels; nothing is latched.
class InterruptController : public RegisterDevice {
 public:
  /// `set_line` receives each new level of the processor's line.
  explicit InterruptController(std::function<void(bool level)> set_line)
      : set_line_(std::move(set_line)) {}

  /// Sets the level of a device's line; `bit` is one of SOC_INTERRUPTS_PENDING.
  void set_pending(uint32_t bit, bool level);

  uint32_t raised() const { return pending_ & enable_; }

  bool read(uint32_t offset, uint32_t& value) override;
  bool write(uint32_t offset, uint32_t value) override;

 private:
  void update();

  std::function<void(bool level)> set_line_;
  uint32_t pending_ = 0, enable_ = 0;
  bool line_ = false;
};

}  // namespace mxe::soc
