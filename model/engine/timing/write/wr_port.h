// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/skipping/state.h"
#include "model/engine/timing/common/bursts.h"
#include "model/engine/timing/common/fault.h"
#include "model/engine/timing/common/trace.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Write port (mxe_wr_port): splits rows of bytes at any address into AXI bursts and shifts their
/// segments onto beats. Adjacent rows may be joined: the shared beat is written with the second
/// row. Rows are served in order, so times depend only on earlier rows. They are computed before
/// their cycles; a burst waits for its cycle until issue(), unless the memory takes any order.
class WrPort {
 public:
  WrPort(const Params& params, const PortLimits& limits, MemoryPort& memory, TracePoint trace);

  unsigned segment_bytes() const { return segment_bytes_; }
  /// First cycle in which the next row is accepted; kNever if the last one is not complete.
  uint64_t ready_cycle() const;
  /// Accepts a row of `operand` (MXE_FAULT_...) in `cycle`. `data`: its bytes; null if only the
  /// time is needed. A segment has 1 / `part` of the bytes of an FP32 segment. `joins`: the next
  /// row begins where this one ends. Returns the bytes written by this row's beats: its own plus
  /// those carried in, minus those carried to the next row.
  uint32_t accept(uint64_t cycle, uint64_t address, uint32_t bytes, const uint8_t* data,
                  uint32_t operand, unsigned part = 1, bool joins = false);
  /// True if the last row was joined to one not yet accepted.
  bool is_joining() const { return joins_; }
  /// Cancels the joined row: drops its carried bytes; a record may replace it from `cycle` on.
  void halt(uint64_t cycle);
  /// For a skip of the joined row: stores the bytes carried to it. `target` points to `address`.
  void store_carried(uint8_t* target, uint64_t address);
  /// First cycle in which the next segment may be computed; kNever while it depends on the
  /// acknowledgement of an earlier burst that is not known.
  uint64_t known_cycle() const;
  /// Takes the next segment, which is offered from `offered` on. Returns the cycle. known_cycle()
  /// must not be kNever.
  uint64_t take(uint64_t offered);

  /// Call only between two rows.
  void visit(StateVisitor& visitor);

  uint64_t bursts() const { return bursts_; }

  /// Cycle in which the next burst is issued; kNever if none waits for its cycle.
  uint64_t issue_cycle() const {
    return issued_count_ == bursts_under_way_.size() ? kNever
                                                     : bursts_under_way_[issued_count_].burst.cycle;
  }
  /// Issues that burst.
  void issue();
  /// Takes the acknowledgements whose tickets are complete.
  void take_answers();
  /// Issue cycle of the oldest burst that is issued and not acknowledged; kNever if there is none.
  uint64_t oldest_cycle() const {
    return issued_count_ == 0 ? kNever : bursts_under_way_.front().burst.cycle;
  }

  /// First cycle after all beats of the accepted rows were sent (sent_o); kNever if not known.
  uint64_t sent_cycle() const {
    if (is_row_open()) return kNever;
    return rows_done_.count() == 0 ? 0 : rows_done_.back() + 1;
  }
  /// First cycle in which all bursts have been acknowledged (idle_o); kNever if not known.
  uint64_t idle_cycle() const {
    return is_row_open() || !bursts_under_way_.empty() ? kNever : idle_cycle_;
  }

  /// Acknowledgements of a set of bursts.
  struct Answers {
    uint64_t last = 0;        ///< cycle of the last one so far
    uint64_t error = kNever;  ///< cycle of the first error; kNever: none
    Fault fault;              ///< of the first error
    unsigned waiting = 0;     ///< bursts without a known acknowledgement

    /// Cycle of the last one; kNever if not known.
    uint64_t last_cycle() const { return waiting == 0 ? last : kNever; }
  };
  /// Acknowledgements of the results since the last begin_job(), and of the last record.
  const std::shared_ptr<Answers>& result_answers() const { return results_; }
  const std::shared_ptr<Answers>& record_answers() const { return record_; }
  /// First cycle in which all results have been acknowledged; kNever if not known.
  uint64_t results_answered_cycle() const {
    return waits_for_results() ? kNever : result_acknowledge_ + 1;
  }
  /// Later results belong to another job.
  void begin_job() { results_ = std::make_shared<Answers>(); }

 private:
  struct Segment {
    unsigned bytes = 0;
    bool last = false;        // of the row
    bool makes_beat = false;  // fills a beat, or is the last
    bool spills = false;      // is the last and more than fills a beat
  };

  Segment next_segment() const;
  bool is_row_open() const { return bytes_left_ > 0 || flushes_; }
  uint64_t next_burst_cycle() const;
  uint64_t sendable_cycle();
  void next_burst();
  void flush();
  void end_row(uint64_t cycle);
  uint64_t acknowledged_cycle(unsigned count) const;
  void send(uint64_t cycle);
  void finish_burst(uint64_t last_beat);
  bool waits_for_results() const;

  struct Burst {
    uint64_t cycle = 0;  // of the request
    uint64_t address = 0;
    unsigned beats = 0;
    uint32_t operand = MXE_FAULT_NONE;
    uint64_t first_beat = 0, last_beat = 0;  // cycles
  };
  struct UnderWay {
    Burst burst;  // its cycle is kNever until its address is accepted
    std::shared_ptr<Answers> answers;
    std::vector<uint8_t> data, enables;  // empty if only the time is needed
    Ticket ticket;
  };
  void request(const Burst& burst, uint8_t* data, const uint8_t* enables, Ticket& ticket);
  void acknowledge(const Burst& burst, Answers& answers, const Ticket& ticket);
  void accept_address();

  BeatSize beat_;
  unsigned segment_bytes_, write_limit_;
  MemoryPort& memory_;
  TracePoint trace_;

  Bursts row_bursts_;
  uint32_t bytes_left_ = 0;              // not yet taken
  bool joins_ = false;                   // to the next row
  uint32_t carried_bytes_ = 0;           // to the next row
  uint64_t end_ = 0;                     // first address after the row
  uint64_t halted_cycle_ = 0;            // a record may replace the joined row from here on
  std::optional<uint64_t> halts_cycle_;  // of halt() in a row that is not complete
  unsigned row_segment_ = 0;             // bytes of a segment
  unsigned fill_ = 0;  // bytes in the partial beat; at first the row's offset in its beat
  uint64_t next_take_cycle_ = 0;  // earliest take of a segment
  uint64_t next_emit_ = 0;        // earliest emission of a burst
  bool with_data_ = false;
  uint32_t operand_ = MXE_FAULT_NONE;
  std::vector<uint8_t> data_, enables_;  // whole beats
  std::size_t position_ = 0;             // of the burst, in data_
  Bursts::Burst burst_;
  unsigned beats_sent_ = 0;
  uint64_t first_beat_ = 0;  // cycle of its first beat
  uint64_t emitted_ = 0;     // enters the queue of bursts
  /// The interconnect accepts the address. If the cycle depends on an acknowledgement that is not
  /// known, that of burst fire_awaits_, this is the first possible cycle.
  uint64_t address_fire_ = 0;
  std::optional<uint64_t> fire_awaits_;
  bool flushes_ = false;      // the last beat of a row is to be sent
  uint64_t flush_cycle_ = 0;  // first cycle for it

  History<uint64_t, kWriteQueue> rows_done_, bursts_done_;
  uint64_t issued_ = 0;                    // the memory receives the previous burst
  std::deque<UnderWay> bursts_under_way_;  // to be issued or acknowledged
  std::size_t issued_count_ = 0;           // those issued
  std::vector<uint64_t> acknowledged_;     // by burst, as many as a limit refers to
  uint64_t acknowledge_ = 0;               // the last one
  uint64_t result_acknowledge_ = 0;        // the last one of results, of any job
  uint64_t bursts_ = 0;                    // so far, with those under way
  uint64_t idle_cycle_ = 0;
  std::shared_ptr<Answers> results_ = std::make_shared<Answers>();
  std::shared_ptr<Answers> record_ = std::make_shared<Answers>();
};

}  // namespace mxe::engine
