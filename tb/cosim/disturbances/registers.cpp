// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>

#include "model/numerics/base/random.h"
#include "mxe_counter_table.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"
#include "tb/cosim/batch_run.h"

namespace mxe::cosim {
namespace {

const RegisterInfo& any_register(Random& random) {
  return register_table[random.uniform(0, register_table.size() - 1)];
}

/// Returns true if a register reads the same on the model as on the RTL while a job runs.
bool is_exact_within_jobs(uint32_t offset) {
  const CounterInfo* counter = find_counter(offset);
  return !counter || counter->exact_within_jobs;
}

void read_register(BatchRun& run, const RegisterInfo& info) {
  const uint32_t found = run.host().read32(info.offset);
  run.log(is_exact_within_jobs(info.offset) ? fmt::format("{} {:#x}", info.name, found)
                                            : info.name);
}

void read_counters(BatchRun& run) {
  struct mxe_counters counters {};
  run.require(mxe_read_counters(&run.device.driver(), &counters) == MXE_OK,
              "the counters cannot be read");
  run.require(
      !run.device.features().counters || adds_up(counters),
      fmt::format("counters: total is {}, its parts add up to another number", counters.total));
  run.log(fmt::format("{} blocks", counters.blocks));
}

/// Reads STATUS 12 times, because one of the reads may be in the cycle in which it changes.
void watch_status(BatchRun& run) {
  constexpr int kReads = 12;
  for (int i = 0; i < kReads; i++) read_register(run, *find_register(MXE_REG_STATUS));
}

/// Writes some byte lanes. Returns false if the engine refuses the write.
bool try_lanes(platform::Host& host, uint32_t offset, uint32_t value, unsigned lanes) {
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
  host.regs->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  return payload.is_response_ok();
}

void refuse_write(const BatchRun& run, uint32_t offset, uint32_t value) {
  run.require(!run.host().try_write(offset, value),
              fmt::format("a write at {:#05x}, where no register is, was not refused", offset));
}

void refuse_read(const BatchRun& run, uint32_t offset) {
  uint32_t found = 0;
  run.require(
      !run.host().try_read(offset, found) && found == 0,
      fmt::format("a read at {:#05x}, where no register is, was not refused, or brought {:#x}",
                  offset, found));
}

/// Makes an access that an engine must refuse in any state. Returns its description.
std::string refuse_access(BatchRun& run, Random& random) {
  const RegisterInfo& info = any_register(random);
  const auto value = static_cast<uint32_t>(random.next());
  if (random.one_in(3)) {
    if (info.access == RegisterAccess::read_write) {
      const auto lanes = static_cast<unsigned>(random.uniform(0, 14));
      run.require(!try_lanes(run.host(), info.offset, value, lanes),
                  fmt::format("{} took a write of lanes {:#x}", info.name, lanes));
      return fmt::format("lanes {:#x} of {} refused", lanes, info.name);
    }
    run.require(!run.host().try_write(info.offset, value),
                fmt::format("{} took a write", info.name));
    return fmt::format("{} refused", info.name);
  }
  uint32_t offset = 0;
  do {
    offset = static_cast<uint32_t>(random.uniform(0, random.one_in(2) ? 0x1FF : 0xFFF));
    if (random.one_in(2)) offset &= ~3u;
  } while (find_register(offset));
  if (random.one_in(2)) {
    refuse_write(run, offset, value);
  } else {
    refuse_read(run, offset);
  }
  return fmt::format("{:#05x} refused", offset);
}

/// Accesses bytes 1 to 3 of every register, where no access may begin.
void refuse_unaligned(BatchRun& run) {
  for (const RegisterInfo& info : register_table) {
    for (uint32_t byte = 1; byte < 4; byte++) {
      refuse_read(run, info.offset + byte);
      refuse_write(run, info.offset + byte, ~0u);
    }
  }
  run.log("unaligned accesses refused");
}

/// Writes a value that starts no job and no reset into a random register, and reads it back. A
/// read-only register is only read.
void write_register(BatchRun& run, Random& random) {
  platform::Host& host = run.host();
  const RegisterInfo& info = any_register(random);
  if (info.access != RegisterAccess::read_write) {
    read_register(run, info);
    return;
  }
  auto value = static_cast<uint32_t>(random.next());
  const uint32_t events = host.read32(MXE_REG_IRQ_STATUS);
  uint32_t expected = value & info.storage_mask;
  if (info.offset == MXE_REG_CTRL) value &= ~MXE_CTRL_SOFT_RESET_MASK;
  if (info.offset == MXE_REG_IRQ_STATUS) expected = events & ~value;
  if (info.offset == MXE_REG_RING_TAIL) {
    // A distance above 0x8000, the size of the largest ring.
    const uint32_t head = host.read32(MXE_REG_RING_HEAD);
    value = (head + 0x8001 + value % 0x7FFF) & MXE_RING_TAIL_TAIL_MASK;
    expected = head;
  }
  host.write32(info.offset, value);
  run.require_register(info.offset, expected, fmt::format("after {:#x} was written", value));
  if (info.offset == MXE_REG_RING_TAIL) {
    run.require_register(MXE_REG_IRQ_STATUS, events | MXE_IRQ_STATUS_RING_OVERFLOW_MASK,
                         "after a doorbell for more jobs than any ring has");
  }
  run.log(info.name);
}

}  // namespace

void RegisterWrites::apply(BatchRun& run) const {
  if (register_writes == 0) return;
  // The counts of an aborted job differ between the engines.
  run.device.clear_counters();
  run.device.read_counters();
  constexpr std::array<uint32_t, 6> kKept = {MXE_REG_IRQ_MASK,     MXE_REG_RING_BASE_LO,
                                             MXE_REG_RING_BASE_HI, MXE_REG_RING_SIZE_LOG2,
                                             MXE_REG_RING_TAIL,    MXE_REG_CTRL};
  platform::Host& host = run.host();
  Random random(register_writes);
  std::array<uint32_t, kKept.size()> before{};
  for (std::size_t i = 0; i < kKept.size(); i++) before[i] = host.read32(kKept[i]);
  refuse_unaligned(run);
  const uint64_t accesses = random.uniform(10, 60);
  for (uint64_t i = 0; i < accesses; i++) {
    if (random.one_in(4)) {
      run.log(refuse_access(run, random));
    } else {
      write_register(run, random);
    }
  }
  for (std::size_t i = 0; i < kKept.size(); i++) {
    host.write32(kKept[i], before[i]);
    run.require_register(kKept[i], before[i], "after its value was written back");
  }
  host.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  run.log("registers written");
}

void RegisterTraffic::apply(BatchRun& run) const {
  if (traffic == 0) return;
  Random random(traffic);
  const uint64_t accesses = random.uniform(5, 60);
  for (uint64_t i = 0; i < accesses; i++) {
    if (random.one_in(2)) run.host().wait_cycles(random.uniform(1, 100));
    const RegisterInfo& info = any_register(random);
    if (random.one_in(8)) {
      read_counters(run);
    } else if (random.one_in(6)) {
      run.log(refuse_access(run, random));
    } else if (random.one_in(6)) {
      watch_status(run);
    } else {
      read_register(run, info);
    }
  }
}

}  // namespace mxe::cosim
