// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "model/engine/timing/common/fault.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/write/wr_port.h"

namespace mxe::engine {

/// Completion records (mxe_record): jobs that were computed, refused or aborted wait here, in
/// order, until memory has acknowledged their results (the job ends). Then its record is written
/// into its slot, unless the read of its descriptor failed; when that is acknowledged, the job is
/// complete. Meanwhile other jobs are computed and write their results.
class Record {
 public:
  /// A job that was computed, refused or aborted.
  struct Job {
    uint32_t status = 0;
    uint32_t job_id = 0;
    uint16_t index = 0;  ///< of its slot
    /// Acknowledgements of its results; null if it was refused or aborted.
    std::shared_ptr<const WrPort::Answers> results;
  };

  Record(WrPort& port, TracePoint trace) : port_(port), trace_(trace) {}

  /// First cycle in which push() is legal; kNever if that depends on records to be written.
  uint64_t room_cycle() const {
    if (jobs_.size() == kRecords) return kNever;
    return jobs_.size() + 1 == kRecords ? completed_cycle_ : 0;
  }
  /// Adds a job that was computed, refused or aborted in `cycle`; all its bursts have been issued.
  void push(uint64_t cycle, const Job& job);

  bool busy() const { return !jobs_.empty(); }
  /// First cycle without a job, if not busy().
  uint64_t idle_cycle() const { return completed_cycle_; }
  /// True if jobs have not ended; last_end() is the cycle in which the last one ended.
  bool waiting() const { return ended_ < jobs_.size(); }
  uint64_t last_end() const { return last_end_; }

  /// Cycle in which the next job ends; kNever if none waits or a record must be written before.
  uint64_t end_cycle() const;
  /// Ends the next job in `cycle`. Its record shows `cycles`; its slot is at `address`.
  void end(uint64_t cycle, uint64_t cycles, uint64_t address);
  uint16_t ending_index() const { return jobs_[ended_].job.index; }

  /// True if a record waits for the row that the last row joins.
  bool is_held() const { return writes_ && port_.is_joining(); }
  /// Cycle in which the write port accepts the next record, or in which an incomplete one
  /// continues; kNever if none is to be written, if it is held, or while it waits.
  uint64_t write_cycle() const;
  /// Writes the next record, or continues it. Returns the first cycle after its last segment was
  /// taken; null if the write port waits for an acknowledgement that is not known.
  std::optional<uint64_t> write();

  /// Cycle of the next acknowledgement of results with an error; kNever if there is none.
  uint64_t error_cycle() const;
  /// The job of error_cycle() fails. Returns it.
  const Job& fail();

  /// Cycle in which the oldest job is complete; kNever if not yet known.
  uint64_t complete_cycle() const { return jobs_.empty() ? kNever : jobs_.front().complete(); }
  /// The end of a job.
  struct Completed {
    uint32_t status = 0;
    uint32_t job_id = 0;
    uint16_t index = 0;
    bool failed = false;  ///< by the write of its record, not by an earlier bus error
    Fault fault;          ///< of that write
  };
  Completed complete();

  static constexpr uint32_t kBytes = 16;

 private:
  void begin_write();

  struct Entry {
    Job job;
    uint64_t pushed_cycle = 0;
    bool has_failed = false;  // its results returned an error, which fail() has reported
    uint64_t cycles = 0, address = 0;
    uint64_t request_cycle = 0;        // of its record
    uint64_t complete_cycle = kNever;  // without a record
    std::shared_ptr<const WrPort::Answers> record;

    /// First cycle in which it may end.
    uint64_t ready() const;
    uint64_t error_cycle() const {
      return job.results && !has_failed ? job.results->error : kNever;
    }
    uint64_t complete() const;
  };

  WrPort& port_;
  TracePoint trace_;
  std::deque<Entry> jobs_;    // oldest first
  std::size_t ended_ = 0;     // number of jobs that have ended
  bool writes_ = false;       // the record of the last ended job is to be written
  bool is_accepted_ = false;  // by the write port; its segments are sent
  uint32_t offset_ = 0;       // of its next segment
  uint64_t offered_ = 0;      // first cycle for that segment
  uint64_t write_request_cycle_ = 0, idle_cycle_ = 0, last_end_ = 0;
  uint64_t completed_cycle_ = 0;  // first cycle after the last completion
};

}  // namespace mxe::engine
