// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "mxe_regs.h"
#include "tb/cosim/batch_run.h"

namespace mxe::cosim {
namespace {

void enable(BatchRun& run, bool enabled) {
  run.host().write32(MXE_REG_CTRL, enabled ? MXE_CTRL_ENABLE_MASK : 0);
}

/// Waits until the engine has no jobs. The interrupt line must stay low.
void wait_for_jobs(BatchRun& run) {
  constexpr uint64_t kPollInterval = 50, kCyclesPerMicrosecond = 1000;
  const uint64_t timeout_cycles = kCyclesPerMicrosecond * run.device.timeout_us();
  uint64_t waited = 0;  // cycles, for the oldest job
  for (uint32_t before = run.first_index, head;
       (head = run.host().read32(MXE_REG_RING_HEAD)) != run.device.tail(); before = head) {
    waited = head == before ? waited + kPollInterval : 0;
    run.require(waited < timeout_cycles, "a job hangs while interrupts are masked");
    run.require(!run.host().irq.read(),
                "the interrupt line is high though all interrupts are masked");
    run.host().wait_cycles(kPollInterval);
  }
}

/// Returns the bits of IRQ_STATUS that follow from the completion records of the batch.
uint32_t events_of_jobs(const BatchRun& run) {
  const uint16_t tail = run.device.tail();
  uint32_t events = tail == run.first_index ? 0 : MXE_IRQ_STATUS_QUEUE_EMPTY_MASK;
  const mxe_device& driver = run.device.driver();
  for (uint16_t index = run.first_index; index != tail; index++) {
    const uint64_t entry = uint64_t{index % driver.ring_entries} * kEntryBytes;
    uint32_t status = 0;
    std::memcpy(
        &status,
        run.device.memory().data(driver.ring_bus_addr + entry + MXE_DESC_STATUS, sizeof status),
        sizeof status);
    events |= status == MXE_STATUS_OK ? MXE_IRQ_STATUS_DONE_MASK : MXE_IRQ_STATUS_ERROR_MASK;
  }
  return events;
}

void check_each_event(BatchRun& run, uint32_t events) {
  platform::Host& host = run.host();
  const auto require_line = [&](uint32_t mask) {
    host.wait_cycles(kLineCycles);
    run.require(host.irq.read() == ((events & mask) != 0),
                fmt::format("the interrupt line is {} with status {:#x} and mask {:#x}",
                            host.irq.read(), events, mask));
  };
  for (uint32_t bit = 1; bit <= kAllEvents; bit <<= 1) {
    host.write32(MXE_REG_IRQ_MASK, bit);
    require_line(bit);
  }
  host.write32(MXE_REG_IRQ_STATUS, 0);
  run.require_register(MXE_REG_IRQ_STATUS, events, "after a write that clears nothing");
  host.write32(MXE_REG_IRQ_MASK, kAllEvents);
  for (uint32_t bit = 1; bit <= kAllEvents; bit <<= 1) {
    require_line(kAllEvents);
    host.write32(MXE_REG_IRQ_STATUS, bit);
    events &= ~bit;
    run.require_register(MXE_REG_IRQ_STATUS, events,
                         fmt::format("after bits to {:#x} were cleared", bit));
  }
  require_line(kAllEvents);
}

}  // namespace

void DisabledStart::prepare(BatchRun& run) const {
  if (disabled_for == 0) return;
  enable(run, false);
  run.host().write32(MXE_REG_IRQ_STATUS, kAllEvents);
}

void DisabledStart::apply(BatchRun& run) const {
  if (disabled_for == 0) return;
  run.host().wait_cycles(disabled_for);
  const bool empty = run.device.tail() == run.first_index;
  run.require_register(MXE_REG_STATUS, empty ? MXE_STATUS_EMPTY_MASK : 0, "while disabled");
  run.require_register(MXE_REG_RING_HEAD, run.first_index, "while disabled");
  run.require_register(MXE_REG_IRQ_STATUS, 0, "while disabled");
  run.log("enabled");
  enable(run, true);
}

void Pause::apply(BatchRun& run) const {
  if (pause_after == 0) return;
  constexpr uint64_t kPollInterval = 40, kPolls = 50'000, kRest = 200;
  platform::Host& host = run.host();
  host.wait_cycles(pause_after);
  enable(run, false);
  run.log("disabled");
  for (uint64_t i = 0; (host.read32(MXE_REG_STATUS) & MXE_STATUS_BUSY_MASK) != 0; i++) {
    run.require(i < kPolls, "busy for ever after it was disabled");
    host.wait_cycles(kPollInterval);
  }
  const uint32_t head = host.read32(MXE_REG_RING_HEAD);
  host.wait_cycles(kRest);
  run.require_register(MXE_REG_RING_HEAD, head, "a while after the engine was disabled");
  run.require_register(MXE_REG_STATUS, head == run.device.tail() ? MXE_STATUS_EMPTY_MASK : 0,
                       "a while after the engine was disabled");
  run.log(fmt::format("head {}", head));
  enable(run, true);
}

void MaskedInterrupts::prepare(BatchRun& run) const {
  if (!masked) return;
  run.irq_mask = run.host().read32(MXE_REG_IRQ_MASK);
  run.host().write32(MXE_REG_IRQ_MASK, 0);
  run.host().write32(MXE_REG_IRQ_STATUS, kAllEvents);
}

void MaskedInterrupts::apply(BatchRun& run) const {
  if (!masked) return;
  wait_for_jobs(run);
  run.require(!run.host().irq.read(),
              "the interrupt line is high though all interrupts are masked");
  const uint32_t events = events_of_jobs(run);
  run.require_register(MXE_REG_IRQ_STATUS, events, "after jobs with masked interrupts");
  check_each_event(run, events);
  run.log("interrupts were cleared");
  run.host().write32(MXE_REG_IRQ_MASK, run.irq_mask);
}

}  // namespace mxe::cosim
