// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "model/engine/timing/common/fault.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/write/wr_port.h"

namespace mxe::engine {

/// Completion records (mxe_record): jobs that have been computed wait here, in order, until memory
/// has answered their results; then the record of each is written into its slot, and when that is
/// answered too the job is complete. Meanwhile other jobs are computed and write their results.
class Record {
 public:
  /// A job that has been computed.
  struct Job {
    uint32_t status = 0;
    uint32_t job_id = 0;
    uint16_t index = 0;       ///< of its slot
    uint64_t answered = 0;    ///< cycle of the last answer to its results
    uint64_t error = kNever;  ///< and of the first with an error
    Fault fault;              ///< what that was
  };

  Record(WrPort& port, TracePoint trace) : port_(port), trace_(trace) {}

  /// First cycle in which a job may come; kNever if that depends on records to be written.
  uint64_t room_cycle() const {
    if (jobs_.size() == kRecords) return kNever;
    return jobs_.size() + 1 == kRecords ? completed_cycle_ : 0;
  }
  /// A job has been computed in `cycle`, and all its bursts have begun.
  void push(uint64_t cycle, const Job& job);

  bool busy() const { return !jobs_.empty(); }
  /// First cycle in which no job is here, if none is.
  uint64_t idle_cycle() const { return completed_cycle_; }
  /// True if jobs have not ended; last_end() is the cycle in which the last one ended.
  bool waiting() const { return ended_ < jobs_.size(); }
  uint64_t last_end() const { return last_end_; }

  /// Cycle in which the next job ends: its results have been answered; kNever if not yet known.
  uint64_t end_cycle() const;
  /// It does, `cycles` after the one before it. Its slot is at `address`.
  void end(uint64_t cycle, uint64_t cycles, uint64_t address);
  uint16_t ending_index() const { return jobs_[ended_].job.index; }

  /// True if a record waits because the rows before it are joined.
  bool is_held() const { return writes_ && port_.is_joining(); }
  /// Cycle in which the write port accepts the next record; kNever if none is to be written, or if
  /// it is held.
  uint64_t write_cycle() const;
  /// It does. Returns the cycle in which the last of the record's data has gone.
  uint64_t write();

  /// Cycle of the next answer with an error to the results of a job; kNever if there is none.
  uint64_t error_cycle() const;
  /// Its job fails. Returns that job.
  const Job& fail();

  /// Cycle in which the oldest job is complete; kNever if not yet known.
  uint64_t complete_cycle() const { return jobs_.empty() ? kNever : jobs_.front().complete; }
  /// How it ended.
  struct Completed {
    uint32_t status = 0;
    uint32_t job_id = 0;
    uint16_t index = 0;
    bool failed = false;  ///< its record did, which decides
    Fault fault;          ///< where
  };
  Completed complete();

  static constexpr uint32_t kBytes = 16;

 private:
  struct Entry {
    Job job;
    uint64_t ready = 0;  // it may end
    uint64_t cycles = 0, address = 0;
    uint64_t complete = kNever;
    bool record_failed = false;
    Fault record_fault;
  };

  WrPort& port_;
  TracePoint trace_;
  std::deque<Entry> jobs_;  // oldest first
  std::size_t ended_ = 0;   // as many of them have
  bool writes_ = false;     // the record of the last of those is to be written
  uint64_t write_request_cycle_ = 0, idle_cycle_ = 0, last_end_ = 0;
  uint64_t completed_cycle_ = 0;  // the last place came free
};

}  // namespace mxe::engine
