// SPDX-License-Identifier: Apache-2.0
#include "tests/driver/mock_device.h"

#include "model/regs/generated/mxe_parameters.h"
#include "mxe_reg_table.h"

namespace mxe::test {
namespace {

constexpr uint32_t all_ones = 0xffffffff;

MockDevice& self(void* ctx) { return *static_cast<MockDevice*>(ctx); }

}  // namespace

MockDevice::MockDevice(uint32_t ring_entries)
    : ring_(ring_entries * MXE_DESC_SIZE / 8, ~0ull), slots_(ring_entries) {
  for (const RegisterInfo& r : register_table) registers_[r.offset] = r.reset;
  for (const ParameterInfo& info : parameter_table) {
    registers_[info.offset] |= ParameterValues().*(info.field) << info.shift;
  }
  registers_[MXE_REG_FEATURES] |=
      MXE_FEATURES_BF16_MASK | MXE_FEATURES_MX_OUT_MASK | MXE_FEATURES_LONG_BLOCKS_MASK;
}

mxe_port MockDevice::port(bool interrupts) {
  mxe_port port = {};
  port.ctx = this;
  port.read32 = [](void* ctx, uint32_t offset) { return self(ctx).read(offset); };
  port.write32 = [](void* ctx, uint32_t offset, uint32_t value) { self(ctx).write(offset, value); };
  if (interrupts) {
    port.wait_irq = [](void* ctx, uint32_t timeout_us) { return self(ctx).wait_irq(timeout_us); };
  }
  port.relax = [](void* ctx) {
    ++self(ctx).polls;
    self(ctx).tick();
  };
  port.now_us = [](void* ctx) { return self(ctx).now(); };
  port.wmb = [](void* ctx) { self(ctx).write_barrier(); };
  port.rmb = [](void* ctx) { self(ctx).read_barrier(); };
  return port;
}

uint32_t* MockDevice::entry(uint16_t index) {
  const size_t slot = index % entries();
  return reinterpret_cast<uint32_t*>(ring_.data()) + slot * (MXE_DESC_SIZE / 4);
}

uint32_t MockDevice::ring_word(uint32_t entry, uint32_t offset) const {
  const uint64_t pair = ring_.at((entry * MXE_DESC_SIZE + offset) / 8);
  return static_cast<uint32_t>(offset % 8 == 0 ? pair : pair >> 32);
}

void MockDevice::set_ring_word(uint32_t index, uint32_t offset, uint32_t value) {
  entry(static_cast<uint16_t>(index))[offset / 4] = value;
}

uint32_t MockDevice::read(uint32_t offset) {
  if (before_read) before_read(offset);
  if (gone) return all_ones;
  if (!find_register(offset)) {
    bus_errors.push_back("read of " + std::to_string(offset));
    return 0;
  }
  if (offset == MXE_REG_RING_HEAD && registers_[offset] == 0) return head;
  if (offset == MXE_REG_STATUS) {
    return (has_work() ? MXE_STATUS_BUSY_MASK : MXE_STATUS_EMPTY_MASK) |
           (reset_ticks_left_ ? MXE_STATUS_RESETTING_MASK : 0);
  }
  return registers_[offset];
}

void MockDevice::write(uint32_t offset, uint32_t value) {
  if (before_write) before_write(offset);
  if (gone) return;
  const RegisterInfo* info = find_register(offset);
  if (!info || info->access != RegisterAccess::read_write) {
    bus_errors.push_back("write of " + std::to_string(offset));
    return;
  }
  uint32_t& stored = registers_[offset];
  stored = (stored & ~info->storage_mask) | (value & info->storage_mask);
  stored &= ~(value & info->event_mask);
  if (offset == MXE_REG_RING_TAIL) doorbell(static_cast<uint16_t>(value));
  if (offset != MXE_REG_CTRL) return;
  if (value & MXE_CTRL_SOFT_RESET_MASK) soft_reset();
  if (value & MXE_CTRL_COUNTER_SNAPSHOT_MASK) events.emplace_back("snapshot");
  if (value & MXE_CTRL_COUNTER_CLEAR_MASK) events.emplace_back("clear");
}

void MockDevice::doorbell(uint16_t tail) {
  events.emplace_back("doorbell");
  const auto pending = static_cast<uint16_t>(tail - head);
  const bool fits = entries() <= registers_[MXE_REG_QUEUE_DEPTH] && pending <= entries() &&
                    pending >= static_cast<uint16_t>(tail_ - head);
  if (!fits || refuses_doorbells) {
    registers_[MXE_REG_IRQ_STATUS] |= MXE_IRQ_STATUS_RING_OVERFLOW_MASK;
  } else {
    registers_[MXE_REG_RING_TAIL] = tail_ = tail;
  }
}

void MockDevice::soft_reset() {
  reset_ticks_left_ = reset_ticks;
  job_ticks_ = 0;
  if (reset_head != ResetHead::stays) head = reset_head == ResetHead::to_tail ? tail_ : 0;
  registers_[MXE_REG_RING_TAIL] = tail_ = head;
}

void MockDevice::tick() {
  ++now_;
  if (reset_ticks_left_ != 0) {
    --reset_ticks_left_;
    return;
  }
  const bool enabled = registers_[MXE_REG_CTRL] & MXE_CTRL_ENABLE_MASK;
  if (enabled && has_work() && ++job_ticks_ >= ticks_per_job) complete_next();
}

void MockDevice::read_barrier() {
  for (const auto& write : invisible_writes_) write();
  invisible_writes_.clear();
}

void MockDevice::write_record(uint16_t index, const Outcome& result) {
  uint32_t* words = entry(index);
  const uint32_t id = words[MXE_DESC_JOB_ID / 4];
  words[MXE_DESC_STATUS / 4] = result.status;
  words[MXE_DESC_DONE_JOB_ID / 4] = id + (result.wrong_job_id ? 1 : 0);
  words[MXE_DESC_CYCLES / 4] = 1000 + id;
  words[MXE_DESC_CYCLES / 4 + 1] = 7;
}

void MockDevice::complete_next() {
  if (!has_work()) return;
  job_ticks_ = 0;
  const Outcome result = outcome(entry(head)[MXE_DESC_JOB_ID / 4]);
  if (result.writes_record) {
    auto write = [this, index = head, result] { write_record(index, result); };
    if (coherent) {
      write();
    } else {
      invisible_writes_.emplace_back(write);
    }
  }
  ++head;
  const bool ok = result.status == MXE_STATUS_OK;
  registers_[MXE_REG_IRQ_STATUS] |= ok ? MXE_IRQ_STATUS_DONE_MASK : MXE_IRQ_STATUS_ERROR_MASK;
  if (!has_work()) registers_[MXE_REG_IRQ_STATUS] |= MXE_IRQ_STATUS_QUEUE_EMPTY_MASK;
}

bool MockDevice::irq() const {
  if (loses_interrupts) return false;
  return line_stuck_high || (reg(MXE_REG_IRQ_STATUS) & reg(MXE_REG_IRQ_MASK)) != 0;
}

int MockDevice::wait_irq(uint32_t timeout_us) {
  ++irq_waits;
  if (wait_irq_result != 0) return wait_irq_result;
  if (line_stuck_high) ++now_;
  for (uint32_t waited = 0; !irq(); waited++) {
    if (waited == timeout_us) return MXE_ERR_TIMEOUT;
    tick();
  }
  return 0;
}

}  // namespace mxe::test
