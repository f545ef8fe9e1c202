#include "tb/register_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "mxe_reg_table.h"
#include "mxe_regs.h"
#include "numerics/error.h"
#include "platform/clock.h"
#include "platform/random.h"

namespace mxe {
namespace {

constexpr uint32_t kAllEvents = 0xF;
constexpr uint32_t kWindowBytes = 4096;  // of the registers
// From a write of IRQ_STATUS or IRQ_MASK to the line as software sees it.
constexpr uint64_t kLineCycles = 6;

/// Counters that the model knows exactly between jobs only. It knows the reason of a wait when it
/// ends, until then a snapshot counts it as idle; bytes of transfers under way are a few beats off.
bool is_exact_between_jobs_only(uint32_t offset) {
  return offset >= MXE_REG_STALL_A_LO && offset <= MXE_REG_BYTES_WRITTEN_HI;
}

}  // namespace

bool adds_up(const struct mxe_counters& c) {
  return c.total == c.mac_active + c.stall_a + c.stall_b + c.stall_c + c.stall_drain +
                        c.stall_latency + c.idle;
}

RegisterActions::RegisterActions(Host& host, mxe_device& driver, std::string engine,
                                 bool has_counters, std::vector<std::string>& seen)
    : host_(host),
      driver_(driver),
      engine_(std::move(engine)),
      has_counters_(has_counters),
      start_(current_cycle()),
      seen_(seen) {}

void RegisterActions::log(const std::string& what) {
  seen_.push_back(fmt::format("cycle {}: {}", current_cycle() - start_, what));
}

void RegisterActions::require(bool condition, const std::string& what) const {
  if (!condition) throw mx::Error(fmt::format("{}: {}", engine_, what));
}

void RegisterActions::require_register(uint32_t offset, uint32_t expected,
                                       const std::string& when) {
  const uint32_t found = host_.read32(offset);
  const auto info =
      std::find_if(register_table.begin(), register_table.end(),
                   [offset](const RegisterInfo& one) { return one.offset == offset; });
  require(found == expected,
          fmt::format("{} is {:#x} {}, expected {:#x}", info->name, found, when, expected));
}

// ---------------------------------------------------------------- traffic

void RegisterActions::make_traffic(uint64_t seed) {
  Random random(seed);
  const uint64_t accesses = random.uniform(5, 60);
  for (uint64_t i = 0; i < accesses; i++) {
    if (random.one_in(2)) host_.wait_cycles(random.uniform(1, 100));
    if (random.one_in(16)) {
      access_hole(random);
      continue;
    }
    const RegisterInfo& info = register_table[random.uniform(0, register_table.size() - 1)];
    const auto value = static_cast<uint32_t>(random.next());
    const bool read_only = info.access != RegisterAccess::read_write;
    if (random.one_in(8)) {
      struct mxe_counters counters;
      require(mxe_counters(&driver_, &counters) == MXE_OK, "the counters cannot be read");
      require(
          !has_counters_ || adds_up(counters),
          fmt::format("counters: total is {}, its parts add up to another number", counters.total));
      log(fmt::format("{} blocks", counters.blocks));
    } else if (read_only && random.one_in(4)) {
      require(!host_.try_write(info.offset, value), fmt::format("{} took a write", info.name));
      log(fmt::format("{} refused", info.name));
    } else {
      const uint32_t found = host_.read32(info.offset);
      log(is_exact_between_jobs_only(info.offset) ? info.name
                                                  : fmt::format("{} {:#x}", info.name, found));
    }
  }
}

/// Where no register is, everything must be refused.
void RegisterActions::access_hole(Random& random) {
  const auto is_register = [](uint32_t offset) {
    return std::any_of(register_table.begin(), register_table.end(),
                       [offset](const RegisterInfo& info) { return info.offset == offset; });
  };
  uint32_t offset = 0;
  do {
    offset = static_cast<uint32_t>(random.uniform(0, kWindowBytes / 4 - 1)) * 4;
  } while (is_register(offset));
  uint32_t value = 0;
  const bool taken = random.one_in(2)
                         ? host_.try_read(offset, value)
                         : host_.try_write(offset, static_cast<uint32_t>(random.next()));
  require(!taken, fmt::format("an access at {:#x}, where no register is, was not refused", offset));
  log(fmt::format("{:#x} refused", offset));
}

// ---------------------------------------------------------------- ring

void RegisterActions::overflow_ring(uint64_t seed) {
  Random random(seed);
  const uint32_t head = host_.read32(MXE_REG_RING_HEAD);
  const uint32_t size = host_.read32(MXE_REG_RING_SIZE_LOG2);
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

void RegisterActions::refuse_doorbell(uint32_t tail) {
  host_.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  require_register(MXE_REG_IRQ_STATUS, 0, "after all events were cleared");
  host_.write32(MXE_REG_RING_TAIL, tail);
  host_.wait_cycles(kLineCycles);
  const bool unmasked = (host_.read32(MXE_REG_IRQ_MASK) & MXE_IRQ_MASK_RING_OVERFLOW_MASK) != 0;
  require(host_.irq.read() == unmasked,
          fmt::format("the interrupt line is {} after a refused doorbell", host_.irq.read()));
  require_register(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK,
                   "after a refused doorbell");
  require_register(MXE_REG_STATUS, MXE_STATUS_EMPTY_MASK, "after a refused doorbell");
  require_register(MXE_REG_RING_TAIL, tail, "after a refused doorbell");
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
  first_ = driver_.tail;
}

void RegisterActions::wake_up(uint64_t after_cycles) {
  host_.wait_cycles(after_cycles);
  const bool empty = driver_.tail == first_;
  require_register(MXE_REG_STATUS, empty ? MXE_STATUS_EMPTY_MASK : 0, "while disabled");
  require_register(MXE_REG_RING_HEAD, first_, "while disabled");
  require_register(MXE_REG_IRQ_STATUS, 0, "while disabled");
  log("enabled");
  enable(true);
}

void RegisterActions::pause(uint64_t after_cycles) {
  constexpr uint64_t kLook = 40, kLooks = 50'000, kRest = 200;
  host_.wait_cycles(after_cycles);
  enable(false);
  log("disabled");
  for (uint64_t i = 0; (host_.read32(MXE_REG_STATUS) & MXE_STATUS_BUSY_MASK) != 0; i++) {
    require(i < kLooks, "busy for ever after it was disabled");
    host_.wait_cycles(kLook);
  }
  const uint32_t head = host_.read32(MXE_REG_RING_HEAD);
  host_.wait_cycles(kRest);
  require_register(MXE_REG_RING_HEAD, head, "a while after the engine was disabled");
  require_register(MXE_REG_STATUS, head == driver_.tail ? MXE_STATUS_EMPTY_MASK : 0,
                   "a while after the engine was disabled");
  log(fmt::format("head {}", head));
  enable(true);
}

// ---------------------------------------------------------------- interrupts

void RegisterActions::mask() {
  mask_ = host_.read32(MXE_REG_IRQ_MASK);
  host_.write32(MXE_REG_IRQ_MASK, 0);
  host_.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  first_ = driver_.tail;
}

void RegisterActions::wait_for_jobs(uint64_t timeout_cycles) {
  constexpr uint64_t kLook = 50;
  for (uint64_t waited = 0; host_.read32(MXE_REG_RING_HEAD) != driver_.tail; waited += kLook) {
    require(waited < timeout_cycles, "a job hangs while interrupts are masked");
    require(!host_.irq.read(), "the interrupt line is high though all interrupts are masked");
    host_.wait_cycles(kLook);
  }
}

/// What the records in the ring say about the jobs since mask().
uint32_t RegisterActions::events_of_jobs() {
  uint32_t events = driver_.tail == first_ ? 0 : MXE_IRQ_STATUS_QUEUE_EMPTY_MASK;
  for (uint16_t index = first_; index != driver_.tail; index++) {
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

}  // namespace mxe
