// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "model/platform/soc/local_time.h"
#include "model/platform/soc/register_device.h"

namespace mxe::soc {

/// A 64-bit nanosecond clock with an interrupt that is high from a programmed time on.
class Timer : public sc_core::sc_module, public RegisterDevice {
 public:
  /// `time` must outlive the timer. `set_irq` receives the level of the interrupt.
  Timer(const sc_core::sc_module_name& name, LocalTime& time,
        std::function<void(bool level)> set_irq);

  bool read(uint32_t offset, uint32_t& value) override;
  bool write(uint32_t offset, uint32_t value) override;

 private:
  void ring() { set_irq_(true); }
  void set_compare(uint64_t time);

  LocalTime& time_;
  std::function<void(bool level)> set_irq_;
  uint64_t compare_ = ~uint64_t{0};
  uint32_t now_high_ = 0;  // latched for NOW_HI
  sc_core::sc_event alarm_;
};

}  // namespace mxe::soc
