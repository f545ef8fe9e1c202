// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mxe_driver.h"

namespace mxe::test {

struct Outcome {
  uint32_t status = MXE_STATUS_OK;
  bool writes_record = true;  ///< false for ERR_FETCH
  bool wrong_job_id = false;  ///< writes a wrong id to the record
};

/// An MXE as the driver sees it. A job takes `ticks_per_job` ticks and ends as `outcome` returns,
/// without results. A tick, a microsecond, passes per poll (relax) and per microsecond of wait_irq.
/// `bus_errors` records accesses to which real hardware would respond with SLVERR.
class MockDevice {
 public:
  explicit MockDevice(uint32_t ring_entries = 4);

  /// Without `interrupts` the driver must poll.
  mxe_port port(bool interrupts);
  mxe_ring ring(uint32_t entries) {
    return {ring_.data(), ring_bus_addr(), slots_.data(), entries};
  }
  uint64_t ring_bus_addr() const { return 0x1'2345'6780; }
  /// The word at byte `offset` of the descriptor in ring entry `entry`.
  uint32_t ring_word(uint32_t entry, uint32_t offset) const;
  void set_ring_word(uint32_t entry, uint32_t offset, uint32_t value);

  uint32_t read(uint32_t offset);
  void write(uint32_t offset, uint32_t value);
  int wait_irq(uint32_t timeout_us);
  void tick();
  void read_barrier();
  void write_barrier() { events.emplace_back("wmb"); }
  uint64_t now() const { return now_; }

  void complete_next();
  bool irq() const;
  bool has_work() const { return head != tail_; }
  uint32_t reg(uint32_t offset) const { return registers_.at(offset); }
  void set_reg(uint32_t offset, uint32_t value) { registers_[offset] = value; }

  unsigned ticks_per_job = 3;
  std::function<Outcome(uint32_t job_id)> outcome = [](uint32_t) { return Outcome{}; };
  unsigned reset_ticks = 2;  ///< ticks for which STATUS.resetting reads 1
  enum class ResetHead { stays, to_tail, to_zero } reset_head = ResetHead::to_tail;
  bool gone = false;               ///< reads return all ones, writes do nothing
  bool refuses_doorbells = false;  ///< doorbells raise ring_overflow
  bool line_stuck_high = false;    ///< wait_irq always returns at once
  int wait_irq_result = 0;         ///< the result of wait_irq, if not 0
  bool coherent = true;            ///< false: the host sees records only after a read barrier
  bool loses_interrupts = false;
  std::function<void(uint32_t)> before_read, before_write;  ///< called with the offset

  uint16_t head = 0;
  std::vector<std::string> bus_errors;
  std::vector<std::string> events;  ///< "wmb", "doorbell", ..., in order
  unsigned irq_waits = 0;
  unsigned polls = 0;

 private:
  void doorbell(uint16_t tail);
  void soft_reset();
  uint32_t* entry(uint16_t index);
  void write_record(uint16_t index, const Outcome& outcome);
  uint32_t entries() const { return 1u << registers_.at(MXE_REG_RING_SIZE_LOG2); }

  std::map<uint32_t, uint32_t> registers_;
  std::vector<std::function<void()>> invisible_writes_;
  std::vector<uint64_t> ring_;  // 64-bit words for alignment
  std::vector<mxe_slot> slots_;
  uint64_t now_ = 0;
  uint16_t tail_ = 0;
  unsigned job_ticks_ = 0;
  unsigned reset_ticks_left_ = 0;
};

}  // namespace mxe::test
