// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/register_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/base/random.h"
#include "model/platform/clock.h"
#include "mxe_counter_table.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::cosim {
namespace {

constexpr uint32_t kAllEvents = 0xF;
// From a write of IRQ_STATUS or IRQ_MASK to the line as software sees it.
constexpr uint64_t kLineCycles = 6;

/// Whether a register reads the same on the model as on the RTL while a job runs.
bool is_exact_within_jobs(uint32_t offset) {
  const CounterInfo* counter = find_counter(offset);
  return !counter || counter->exact_within_jobs;
}

}  // namespace

RegisterActions::RegisterActions(platform::Host& host, mxe_device& driver, std::string engine,
                                 bool has_counters, std::vector<std::string>& seen)
    : host_(host),
      driver_(driver),
      engine_(std::move(engine)),
      has_counters_(has_counters),
      start_(platform::current_cycle()),
      seen_(seen) {}

void RegisterActions::log(const std::string& what) {
  seen_.push_back(fmt::format("cycle {}: {}", platform::current_cycle() - start_, what));
}

void RegisterActions::require(bool condition, const std::string& what) const {
  if (!condition) throw Error(fmt::format("{}: {}", engine_, what));
}

void RegisterActions::require_register(uint32_t offset, uint32_t expected,
                                       const std::string& when) {
  const uint32_t found = host_.read32(offset);
  require(found == expected, fmt::format("{} is {:#x} {}, expected {:#x}",
                                         find_register(offset)->name, found, when, expected));
}

// ---------------------------------------------------------------- traffic

void RegisterActions::make_traffic(uint64_t seed) {
  Random random(seed);
  const uint64_t accesses = random.uniform(5, 60);
  for (uint64_t i = 0; i < accesses; i++) {
    if (random.one_in(2)) host_.wait_cycles(random.uniform(1, 100));
    const RegisterInfo& info = register_table[random.uniform(0, register_table.size() - 1)];
    if (random.one_in(8)) {
      struct mxe_counters counters;
      require(mxe_read_counters(&driver_, &counters) == MXE_OK, "the counters cannot be read");
      require(
          !has_counters_ || adds_up(counters),
          fmt::format("counters: total is {}, its parts add up to another number", counters.total));
      log(fmt::format("{} blocks", counters.blocks));
    } else if (random.one_in(6)) {
      log(refuse_access(random));
    } else if (random.one_in(6)) {
      watch_status();
    } else {
      read_register(info);
    }
  }
}

/// Reads STATUS again and again, to meet the clock in which it changes.
void RegisterActions::watch_status() {
  constexpr int kReads = 12;
  for (int i = 0; i < kReads; i++) read_register(*find_register(MXE_REG_STATUS));
}

void RegisterActions::read_register(const RegisterInfo& info) {
  const uint32_t found = host_.read32(info.offset);
  log(is_exact_within_jobs(info.offset) ? fmt::format("{} {:#x}", info.name, found) : info.name);
}

/// A write of some byte lanes; false if it was refused.
bool RegisterActions::try_lanes(uint32_t offset, uint32_t value, unsigned lanes) {
  std::array<uint8_t, 4> enables{};
  for (unsigned i = 0; i < enables.size(); i++) {
    enables[i] = (lanes >> i & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(enables.size());
  sc_core::sc_time delay;
  host_.regs->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  return payload.is_response_ok();
}

/// Makes an access that every engine must refuse, in any state. Returns a description of it.
std::string RegisterActions::refuse_access(Random& random) {
  const RegisterInfo& info = register_table[random.uniform(0, register_table.size() - 1)];
  const auto value = static_cast<uint32_t>(random.next());
  if (random.one_in(3)) {
    if (info.access == RegisterAccess::read_write) {
      const auto lanes = static_cast<unsigned>(random.uniform(0, 14));
      require(!try_lanes(info.offset, value, lanes),
              fmt::format("{} took a write of lanes {:#x}", info.name, lanes));
      return fmt::format("lanes {:#x} of {} refused", lanes, info.name);
    }
    require(!host_.try_write(info.offset, value), fmt::format("{} took a write", info.name));
    return fmt::format("{} refused", info.name);
  }
  // Between the registers, or off a word.
  uint32_t offset = 0;
  do {
    offset = static_cast<uint32_t>(random.uniform(0, random.one_in(2) ? 0x1FF : 0xFFF));
    if (random.one_in(2)) offset &= ~3u;
  } while (find_register(offset));
  if (random.one_in(2)) {
    refuse_write(offset, value);
  } else {
    refuse_read(offset);
  }
  return fmt::format("{:#05x} refused", offset);
}

void RegisterActions::refuse_write(uint32_t offset, uint32_t value) {
  require(!host_.try_write(offset, value),
          fmt::format("a write at {:#05x}, where no register is, was not refused", offset));
}

void RegisterActions::refuse_read(uint32_t offset) {
  uint32_t found = 0;
  require(!host_.try_read(offset, found) && found == 0,
          fmt::format("a read at {:#05x}, where no register is, was not refused, or brought {:#x}",
                      offset, found));
}

/// Accesses every byte of a register but the first, at which none may begin.
void RegisterActions::refuse_unaligned() {
  for (const RegisterInfo& info : register_table) {
    for (uint32_t byte = 1; byte < 4; byte++) {
      refuse_read(info.offset + byte);
      refuse_write(info.offset + byte, ~0u);
    }
  }
  log("unaligned accesses refused");
}

void RegisterActions::write_registers(uint64_t seed) {
  Random random(seed);
  constexpr std::array<uint32_t, 6> kKept = {MXE_REG_IRQ_MASK,     MXE_REG_RING_BASE_LO,
                                             MXE_REG_RING_BASE_HI, MXE_REG_RING_SIZE_LOG2,
                                             MXE_REG_RING_TAIL,    MXE_REG_CTRL};
  std::array<uint32_t, kKept.size()> before{};
  for (std::size_t i = 0; i < kKept.size(); i++) before[i] = host_.read32(kKept[i]);
  refuse_unaligned();
  const uint64_t accesses = random.uniform(10, 60);
  for (uint64_t i = 0; i < accesses; i++) {
    if (random.one_in(4)) {
      log(refuse_access(random));
    } else {
      write_register(random);
    }
  }
  for (std::size_t i = 0; i < kKept.size(); i++) {
    host_.write32(kKept[i], before[i]);
    require_register(kKept[i], before[i], "after its value was written back");
  }
  host_.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  log("registers written");
}

/// Writes any value into any register, unless that would start a job. It must read back.
void RegisterActions::write_register(Random& random) {
  const RegisterInfo& info = register_table[random.uniform(0, register_table.size() - 1)];
  if (info.access != RegisterAccess::read_write) {
    read_register(info);
    return;
  }
  auto value = static_cast<uint32_t>(random.next());
  const uint32_t events = host_.read32(MXE_REG_IRQ_STATUS);
  uint32_t expected = value & info.storage_mask;
  if (info.offset == MXE_REG_CTRL) value &= ~MXE_CTRL_SOFT_RESET_MASK;
  if (info.offset == MXE_REG_IRQ_STATUS) expected = events & ~value;
  if (info.offset == MXE_REG_RING_TAIL) {
    // More jobs than any ring has.
    const uint32_t head = host_.read32(MXE_REG_RING_HEAD);
    value = (head + 0x8001 + value % 0x7FFF) & MXE_RING_TAIL_TAIL_MASK;
    expected = head;
  }
  host_.write32(info.offset, value);
  require_register(info.offset, expected, fmt::format("after {:#x} was written", value));
  if (info.offset == MXE_REG_RING_TAIL) {
    require_register(MXE_REG_IRQ_STATUS, events | MXE_IRQ_STATUS_RING_OVERFLOW_MASK,
                     "after a doorbell for more jobs than any ring has");
  }
  log(info.name);
}

// ---------------------------------------------------------------- ring

void RegisterActions::overflow_ring(uint64_t seed) {
  Random random(seed);
  const uint32_t head = host_.read32(MXE_REG_RING_HEAD);
  const uint32_t size = host_.read32(MXE_REG_RING_SIZE_LOG2);
  // So far forward that it may be back by one.
  const auto too_far = static_cast<uint32_t>(
      random.one_in(2) ? driver_.ring_entries + 1u
                       : random.uniform(driver_.ring_entries + 1u, MXE_RING_TAIL_TAIL_MASK));
  refuse_doorbell((head + too_far) & MXE_RING_TAIL_TAIL_MASK);
  uint32_t largest = 0;
  while (driver_.caps.queue_depth >> (largest + 1)) largest++;
  host_.write32(MXE_REG_RING_SIZE_LOG2,
                static_cast<uint32_t>(random.uniform(largest + 1, MXE_RING_SIZE_LOG2_WRITE_MASK)));
  refuse_doorbell((head + 1) & MXE_RING_TAIL_TAIL_MASK);
  host_.write32(MXE_REG_RING_SIZE_LOG2, size);
  require_register(MXE_REG_RING_HEAD, head, "after refused doorbells");
}

void RegisterActions::ring_doorbells(uint64_t seed) {
  Random random(seed);
  const uint32_t tail = device_tail(), entries = driver_.ring_entries;
  constexpr uint32_t kIndices = MXE_RING_TAIL_TAIL_MASK + 1;
  const uint64_t doorbells = random.uniform(1, 12);
  for (uint64_t i = 0; i < doorbells; i++) {
    if (random.one_in(3)) host_.wait_cycles(random.uniform(1, 60));
    uint32_t distance = 0;
    if (random.one_in(2)) {
      distance = kIndices - static_cast<uint32_t>(random.uniform(1, entries));  // back
    } else if (random.one_in(2)) {
      distance = entries + static_cast<uint32_t>(random.uniform(1, random.one_in(2) ? 2 : entries));
    } else if (random.one_in(2)) {
      distance = static_cast<uint32_t>(random.uniform(entries + 1, kIndices - 1));
    }
    host_.write32(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
    host_.write32(MXE_REG_RING_TAIL, (tail + distance) % kIndices);
    const bool refused =
        (host_.read32(MXE_REG_IRQ_STATUS) & MXE_IRQ_STATUS_RING_OVERFLOW_MASK) != 0;
    const std::string doorbell = fmt::format("a doorbell {} beyond the tail", distance);
    require(refused == (distance != 0),
            fmt::format("{} was {}", doorbell, refused ? "refused" : "taken"));
    require_register(MXE_REG_RING_TAIL, tail, "after " + doorbell);
    log(doorbell);
  }
  host_.write32(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
}

void RegisterActions::refuse_doorbell(uint32_t tail) {
  host_.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  require_register(MXE_REG_IRQ_STATUS, 0, "after all events were cleared");
  const uint32_t mask = host_.read32(MXE_REG_IRQ_MASK);
  host_.write32(MXE_REG_IRQ_MASK, mask & ~MXE_IRQ_MASK_RING_OVERFLOW_MASK);
  host_.write32(MXE_REG_RING_TAIL, tail);
  host_.wait_cycles(kLineCycles);
  require(!host_.irq.read(),
          "the interrupt line is high after a refused doorbell, which is masked");
  host_.write32(MXE_REG_IRQ_MASK, mask);
  host_.wait_cycles(kLineCycles);
  const bool unmasked = (mask & MXE_IRQ_MASK_RING_OVERFLOW_MASK) != 0;
  require(host_.irq.read() == unmasked,
          fmt::format("the interrupt line is {} after a refused doorbell", host_.irq.read()));
  require_register(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK,
                   "after a refused doorbell");
  require_register(MXE_REG_STATUS, MXE_STATUS_EMPTY_MASK, "after a refused doorbell");
  require_register(MXE_REG_RING_TAIL, device_tail(), "after a refused doorbell");
  host_.write32(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
  require_register(MXE_REG_IRQ_STATUS, 0, "after the overflow was cleared");
  log("a doorbell was refused");
}

// ---------------------------------------------------------------- enable

void RegisterActions::enable(bool enabled) {
  host_.write32(MXE_REG_CTRL, enabled ? MXE_CTRL_ENABLE_MASK : 0);
}

void RegisterActions::put_to_sleep() {
  enable(false);
  host_.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  first_ = device_tail();
}

void RegisterActions::wake_up(uint64_t after_cycles) {
  host_.wait_cycles(after_cycles);
  const bool empty = device_tail() == first_;
  require_register(MXE_REG_STATUS, empty ? MXE_STATUS_EMPTY_MASK : 0, "while disabled");
  require_register(MXE_REG_RING_HEAD, first_, "while disabled");
  require_register(MXE_REG_IRQ_STATUS, 0, "while disabled");
  log("enabled");
  enable(true);
}

void RegisterActions::pause(uint64_t after_cycles) {
  constexpr uint64_t kPollInterval = 40, kPolls = 50'000, kRest = 200;
  host_.wait_cycles(after_cycles);
  enable(false);
  log("disabled");
  for (uint64_t i = 0; (host_.read32(MXE_REG_STATUS) & MXE_STATUS_BUSY_MASK) != 0; i++) {
    require(i < kPolls, "busy for ever after it was disabled");
    host_.wait_cycles(kPollInterval);
  }
  const uint32_t head = host_.read32(MXE_REG_RING_HEAD);
  host_.wait_cycles(kRest);
  require_register(MXE_REG_RING_HEAD, head, "a while after the engine was disabled");
  require_register(MXE_REG_STATUS, head == device_tail() ? MXE_STATUS_EMPTY_MASK : 0,
                   "a while after the engine was disabled");
  log(fmt::format("head {}", head));
  enable(true);
}

// ---------------------------------------------------------------- interrupts

void RegisterActions::mask() {
  mask_ = host_.read32(MXE_REG_IRQ_MASK);
  host_.write32(MXE_REG_IRQ_MASK, 0);
  host_.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  first_ = device_tail();
}

void RegisterActions::wait_for_jobs(uint64_t timeout_cycles) {
  constexpr uint64_t kPollInterval = 50;
  uint64_t waited = 0;  // for the oldest job
  for (uint32_t before = first_, head; (head = host_.read32(MXE_REG_RING_HEAD)) != device_tail();
       before = head) {
    waited = head == before ? waited + kPollInterval : 0;
    require(waited < timeout_cycles, "a job hangs while interrupts are masked");
    require(!host_.irq.read(), "the interrupt line is high though all interrupts are masked");
    host_.wait_cycles(kPollInterval);
  }
}

/// What the records in the ring say about the jobs since mask().
uint32_t RegisterActions::events_of_jobs() {
  uint32_t events = device_tail() == first_ ? 0 : MXE_IRQ_STATUS_QUEUE_EMPTY_MASK;
  for (uint16_t index = first_; index != device_tail(); index++) {
    const uint64_t entry = uint64_t{index % driver_.ring_entries} * MXE_DESC_SIZE;
    uint32_t status = 0;
    std::memcpy(&status,
                host_.memory().data(driver_.ring_bus_addr + entry + MXE_DESC_STATUS, sizeof status),
                sizeof status);
    events |= status == MXE_STATUS_OK ? MXE_IRQ_STATUS_DONE_MASK : MXE_IRQ_STATUS_ERROR_MASK;
  }
  return events;
}

void RegisterActions::unmask(uint64_t timeout_cycles) {
  wait_for_jobs(timeout_cycles);
  require(!host_.irq.read(), "the interrupt line is high though all interrupts are masked");
  uint32_t events = events_of_jobs();
  require_register(MXE_REG_IRQ_STATUS, events, "after jobs with masked interrupts");
  const auto require_line = [&](uint32_t mask) {
    host_.wait_cycles(kLineCycles);
    require(host_.irq.read() == ((events & mask) != 0),
            fmt::format("the interrupt line is {} with status {:#x} and mask {:#x}",
                        host_.irq.read(), events, mask));
  };
  for (uint32_t bit = 1; bit <= kAllEvents; bit <<= 1) {
    host_.write32(MXE_REG_IRQ_MASK, bit);
    require_line(bit);
  }
  host_.write32(MXE_REG_IRQ_STATUS, 0);
  require_register(MXE_REG_IRQ_STATUS, events, "after a write that clears nothing");
  host_.write32(MXE_REG_IRQ_MASK, kAllEvents);
  for (uint32_t bit = 1; bit <= kAllEvents; bit <<= 1) {
    require_line(kAllEvents);
    host_.write32(MXE_REG_IRQ_STATUS, bit);
    events &= ~bit;
    require_register(MXE_REG_IRQ_STATUS, events,
                     fmt::format("after bits to {:#x} were cleared", bit));
  }
  require_line(kAllEvents);
  log("interrupts were cleared");
  host_.write32(MXE_REG_IRQ_MASK, mask_);
}

}  // namespace mxe::cosim
