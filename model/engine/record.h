// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/fault.h"
#include "model/engine/trace.h"
#include "model/engine/wr_port.h"

namespace mxe {

/// Completion record (mxe_record): of a job that has ended it writes how into the job's slot, waits
/// for the acknowledgement, and then says that the job is complete. Meanwhile the next job may
/// begin, but not write.
class Record {
 public:
  /// How a job ended.
  struct End {
    uint32_t status = 0;
    uint32_t job_id = 0;
    uint64_t cycles = 0;
  };

  Record(WrPort& port, TracePoint trace) : port_(port), trace_(trace) {}

  bool busy() const { return busy_; }
  /// First cycle in which nothing is recorded, if nothing is.
  uint64_t idle_from() const { return idle_from_; }
  /// Cycle in which the job is complete; kNever if there is none.
  uint64_t complete_in() const { return busy_ ? idle_from_ - 1 : kNever; }

  /// A job ends in `cycle`. Its slot is at `address`, in place `slot` of the ring.
  /// Returns the cycle in which the last of the record's data has gone, 0 if there is no record.
  uint64_t begin(uint64_t cycle, uint64_t address, const End& end, uint64_t slot);
  /// The job is complete. Returns how it ended.
  const End& complete();
  /// Whether the bus refused the record, and where.
  bool failed() const { return failed_; }
  const Fault& fault() const { return fault_; }

  static constexpr uint32_t kBytes = 16;

 private:
  uint64_t write(uint64_t cycle, uint64_t address);

  WrPort& port_;
  TracePoint trace_;
  bool busy_ = false, failed_ = false;
  uint64_t idle_from_ = 0;
  End end_;
  Fault fault_;
};

}  // namespace mxe
