// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/control/core.h"

#include <algorithm>

#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::engine {
namespace {

constexpr uint8_t kAllLanes = 0xF;
// Intervals are counted as soon as there are more than this.
constexpr std::size_t kSettleAbove = 256;

/// The 32-bit word at `address` of a counter with these values.
uint32_t counter_word(const CounterInfo& counter, uint32_t address,
                      const Counters::Values& values) {
  const auto index = static_cast<std::size_t>(&counter - counter_table.data());
  return static_cast<uint32_t>(values[index] >> ((address - counter.offset) * 8));
}

/// The parameters that the register at `address` shows, in their places.
uint32_t parameter_bits(const Params& params, uint32_t address) {
  uint32_t bits = 0;
  for (const ParameterInfo& info : parameter_table) {
    if (info.offset == address) bits |= params.*(info.field) << info.shift;
  }
  return bits;
}

}  // namespace

Core::Core(const EngineConfig& config, MemoryPort& memory)
    : params_(config.params),
      counters_(TracePoint(config.tracer)),
      datapath_(config, memory, counters_),
      cmd_(params_, datapath_, TracePoint(config.tracer)) {
  for (const RegisterInfo& info : register_table) words_[info.offset / 4] = info.reset;
}

void Core::run_until(uint64_t cycle) {
  for (uint64_t now = cmd_.next_cycle(); now <= reach(cycle); now = cmd_.next_cycle()) {
    step(now, reach(cycle));
  }
}

void Core::run_to_interrupt(uint64_t cycle) {
  for (uint64_t now = cmd_.next_cycle(); now <= reach(cycle) && interrupts_.empty();
       now = cmd_.next_cycle()) {
    step(now, reach(cycle));
  }
}

void Core::step(uint64_t now, uint64_t limit) {
  const Cmd::Events events = cmd_.step(now, limit);
  datapath_.show_slots(now + 1);
  const uint32_t bits = (events.done ? MXE_IRQ_STATUS_DONE_MASK : 0) |
                        (events.error ? MXE_IRQ_STATUS_ERROR_MASK : 0) |
                        (events.queue_empty ? MXE_IRQ_STATUS_QUEUE_EMPTY_MASK : 0);
  if (bits != 0) set_events(now + 1, bits);
  if (counters_.open_intervals() > kSettleAbove) counters_.settle(now);
}

void Core::set_counters(uint64_t cycle, const std::vector<uint64_t>& values) {
  Counters::Values all{};
  std::copy_n(values.begin(), std::min(values.size(), all.size()), all.begin());
  counters_.set(cycle, all);
}

void Core::set_events(uint64_t cycle, uint32_t events) {
  if (cycle != events_cycle_) new_events_ = 0;
  events_cycle_ = cycle;
  new_events_ |= events;
  irq_status_ |= events;
  update_interrupt(cycle);
}

/// IRQ_STATUS or IRQ_MASK changed in `cycle`; the line follows one cycle later.
void Core::update_interrupt(uint64_t cycle) {
  const bool level = (irq_status_ & words_[MXE_REG_IRQ_MASK / 4]) != 0;
  if (level == irq_level_) return;
  irq_level_ = level;
  interrupts_.push_back({cycle + 1, level});
}

uint64_t Core::ring_base() const {
  return uint64_t{words_[MXE_REG_RING_BASE_HI / 4]} << 32 | words_[MXE_REG_RING_BASE_LO / 4];
}

bool Core::write(uint64_t cycle, uint32_t address, uint32_t value, uint8_t strobe) {
  const RegisterInfo* info = find_register(address);
  if (!info || info->access == RegisterAccess::read_only || strobe != kAllLanes) return false;
  words_[address / 4] = (words_[address / 4] & ~info->storage_mask) | (value & info->storage_mask);
  switch (address) {
    case MXE_REG_CTRL:
      write_control(cycle, value);
      break;
    case MXE_REG_IRQ_STATUS:
      // An event in the cycle in which software clears the previous one stays set.
      irq_status_ &= ~(value & info->event_mask & ~(cycle == events_cycle_ ? new_events_ : 0));
      update_interrupt(cycle);
      break;
    case MXE_REG_IRQ_MASK:
      update_interrupt(cycle);
      break;
    case MXE_REG_RING_BASE_LO:
    case MXE_REG_RING_BASE_HI:
      cmd_.set_ring_base(ring_base());
      break;
    case MXE_REG_RING_SIZE_LOG2:
      cmd_.set_ring_size_log2(words_[address / 4]);
      break;
    case MXE_REG_RING_TAIL:
      if (!cmd_.doorbell(cycle, static_cast<uint16_t>(value))) {
        set_events(cycle + 1, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
      }
      break;
    default:
      break;
  }
  return true;
}

void Core::write_control(uint64_t cycle, uint32_t value) {
  const bool enable = (value & MXE_CTRL_ENABLE_MASK) != 0;
  counters_.enable(cycle, enable);
  cmd_.set_enable(cycle, enable);
  if (value & MXE_CTRL_COUNTER_SNAPSHOT_MASK) counters_.snapshot(cycle);
  if (value & MXE_CTRL_COUNTER_CLEAR_MASK) counters_.clear(cycle);
  if (value & MXE_CTRL_SOFT_RESET_MASK) cmd_.soft_reset(cycle);
}

bool Core::read(uint32_t address, uint32_t& value) const {
  value = 0;
  const RegisterInfo* info = find_register(address);
  if (!info) return false;
  const uint32_t stored = ~(info->event_mask | info->hardware_mask | info->pulse_mask);
  value = (words_[address / 4] & stored) | (irq_status_ & info->event_mask) |
          (hardware_value(address) & info->hardware_mask);
  return true;
}

uint32_t Core::hardware_value(uint32_t address) const {
  if (const CounterInfo* counter = find_counter(address)) {
    return counter_word(*counter, address, counters_.snapshot_values());
  }
  switch (address) {
    case MXE_REG_FEATURES:
      return parameter_bits(params_, address) | MXE_FEATURES_BF16_MASK | MXE_FEATURES_MX_OUT_MASK |
             MXE_FEATURES_LONG_BLOCKS_MASK;
    case MXE_REG_STATUS:
      return (cmd_.busy() ? MXE_STATUS_BUSY_MASK : 0) | (cmd_.empty() ? MXE_STATUS_EMPTY_MASK : 0) |
             (cmd_.resetting() ? MXE_STATUS_RESETTING_MASK : 0);
    case MXE_REG_RING_TAIL:
      return cmd_.tail();
    case MXE_REG_RING_HEAD:
      return cmd_.head();
    case MXE_REG_LAST_JOB:
      return cmd_.last_job();
    case MXE_REG_LAST_STATUS:
      return cmd_.last_status();
    case MXE_REG_FAULT_ADDR_LO:
      return static_cast<uint32_t>(cmd_.fault().address);
    case MXE_REG_FAULT_ADDR_HI:
      return static_cast<uint32_t>(cmd_.fault().address >> 32);
    case MXE_REG_FAULT_INFO:
      return cmd_.fault().operand | (cmd_.fault().write ? MXE_FAULT_INFO_WRITE_MASK : 0) |
             static_cast<uint32_t>(cmd_.fault_index()) << MXE_FAULT_INFO_INDEX_SHIFT;
    default:
      return parameter_bits(params_, address);
  }
}

}  // namespace mxe::engine
