// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/base/random.h"
#include "model/platform/host.h"
#include "mxe_driver.h"
#include "mxe_reg_table.h"

namespace mxe::cosim {

/// What software does with the registers of one engine besides running jobs through the driver.
/// What must be true of any engine is checked here and throws Error. What the accesses read
/// besides, and when, goes to a log that can be compared with that of another engine. The driver
/// finds the registers as it left them.
class RegisterActions {
 public:
  /// Logs to `seen`, with times that count from now. An engine without counters need not count.
  RegisterActions(platform::Host& host, mxe_device& driver, std::string engine, bool has_counters,
                  std::vector<std::string>& seen);

  /// Reads registers, takes snapshots of the counters and tries accesses that must be refused,
  /// while jobs run or not.
  void make_traffic(uint64_t seed);
  /// Writes and reads every kind of register of an idle engine, and tries accesses that must be
  /// refused.
  void write_registers(uint64_t seed);
  /// Doorbells that must be refused, of an idle engine: too many jobs, and a ring too large.
  void overflow_ring(uint64_t seed);
  /// Doorbells that must change nothing, of an engine in any state: back by any number of jobs,
  /// forward by more than the ring has, and to where the tail stands, which alone is not refused.
  void ring_doorbells(uint64_t seed);

  /// Disables the engine. Nothing may happen then, whatever is submitted, until wake_up(), which
  /// waits before it enables the engine.
  void put_to_sleep();
  void wake_up(uint64_t after_cycles);
  /// Waits, then disables the running engine, which must finish the job in flight, fetch no other,
  /// and go on when it is enabled again.
  void pause(uint64_t after_cycles);

  /// Masks all interrupts of an idle engine. unmask() waits for all jobs submitted since, at most
  /// `timeout_cycles` for each: the line must have stayed low, the status must show what became of
  /// the jobs, each bit must raise the line alone and be cleared alone.
  void mask();
  void unmask(uint64_t timeout_cycles);

 private:
  void log(const std::string& what);
  void require(bool condition, const std::string& what) const;
  void require_register(uint32_t offset, uint32_t expected, const std::string& when);
  void refuse_doorbell(uint32_t tail);
  void read_register(const RegisterInfo& info);
  void write_register(Random& random);
  std::string refuse_access(Random& random);
  void refuse_write(uint32_t offset, uint32_t value);
  void refuse_read(uint32_t offset);
  void refuse_unaligned();
  void watch_status();
  bool try_lanes(uint32_t offset, uint32_t value, unsigned lanes);
  void wait_for_jobs(uint64_t timeout_cycles);
  uint32_t events_of_jobs();
  void enable(bool enabled);
  /// The ring index that the device has as its tail.
  uint16_t device_tail() const { return static_cast<uint16_t>(driver_.tail - driver_.origin); }

  platform::Host& host_;
  mxe_device& driver_;
  std::string engine_;
  bool has_counters_;
  uint64_t start_;
  std::vector<std::string>& seen_;
  uint32_t mask_ = 0;   // before mask()
  uint16_t first_ = 0;  // ring index of the first job after mask() or put_to_sleep()
};

}  // namespace mxe::cosim
