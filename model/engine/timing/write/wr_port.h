// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/skipping/state.h"
#include "model/engine/timing/common/bursts.h"
#include "model/engine/timing/common/fault.h"
#include "model/engine/timing/common/trace.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Write port (mxe_wr_port): writes rows of bytes to any address. Each row is split into AXI
/// bursts; its data arrives in segments and is shifted onto the beats. Rows that lie behind one
/// another may be joined: the beat where one ends and the next begins is written with the next one.
/// Rows are served in order, so all times of a row follow from those of the rows before it.
class WrPort {
 public:
  WrPort(const Params& params, const PortLimits& limits, MemoryPort& memory, TracePoint trace);

  /// Bytes of one data segment.
  unsigned segment_bytes() const { return segment_bytes_; }
  /// First cycle in which the next row is accepted.
  uint64_t ready_cycle() const;
  /// Accepts a row of `operand` (MXE_FAULT_...) in `cycle`. `data` points to its bytes; null if
  /// only the time matters. Its segments are `1 / part` as long as those of FP32. If the row
  /// `joins` the next one, that begins where this one ends. Returns the bytes written by this row's
  /// beats: its own plus those carried in, minus those carried to the next row.
  uint32_t accept(uint64_t cycle, uint64_t address, uint32_t bytes, const uint8_t* data,
                  uint32_t operand, unsigned part = 1, bool joins = false);
  /// True if a row was joined to one that has not arrived.
  bool is_joining() const { return joins_; }
  /// That row is cancelled: the bytes carried to it are not written, and a record may take its
  /// place from `cycle` on.
  void halt(uint64_t cycle);
  /// That row is skipped: writes the bytes carried to it into memory. `target` points to `address`.
  void store_carried(uint8_t* target, uint64_t address);
  /// Cycle in which the next segment of that row is taken if it is offered from `offered` on.
  uint64_t take_cycle(uint64_t offered);
  /// Takes that segment. Returns take_cycle(offered).
  uint64_t take(uint64_t offered);

  /// May be called between two rows.
  void visit(StateVisitor& visitor);

  uint64_t bursts() const { return bursts_; }

  /// First cycle with every row that was accepted written (sent_o).
  uint64_t sent_cycle() const { return rows_done_.count() == 0 ? 0 : rows_done_.back() + 1; }
  /// First cycle with everything written and answered (idle_o).
  uint64_t idle_cycle() const { return idle_cycle_; }

  /// The answers to some bursts.
  struct Answers {
    uint64_t last = 0;        ///< cycle of the last one
    uint64_t error = kNever;  ///< and of the first with an error; kNever if none had one
    Fault fault;              ///< what that was the answer to
  };
  /// Those to results, errors since the last clear_error(), and those to the last record.
  const Answers& result_answers() const { return results_; }
  const Answers& record_answers() const { return record_; }
  void clear_error() { results_.error = kNever; }

 private:
  struct Segment {
    unsigned bytes = 0;
    bool last = false;        // of the row
    bool makes_beat = false;  // it fills a beat, or is the last
    bool spills = false;      // it is the last and more than fills a beat
  };

  Segment next_segment() const;
  uint64_t sendable_cycle();
  void next_burst();
  uint64_t acknowledged_cycle(unsigned count) const;
  void send(uint64_t cycle);
  void finish_burst(uint64_t last_beat);

  BeatSize beat_;
  unsigned segment_bytes_, write_limit_;
  MemoryPort& memory_;
  TracePoint trace_;

  // the row
  Bursts row_bursts_;             // into bursts
  uint32_t bytes_left_ = 0;       // not yet taken
  bool joins_ = false;            // the next row
  uint32_t carried_bytes_ = 0;    // to that
  uint64_t end_ = 0;              // address behind the row
  uint64_t halted_cycle_ = 0;     // a record may come in its place
  unsigned row_segment_ = 0;      // bytes of its segments
  unsigned fill_ = 0;             // bytes of a beat not yet full, the offset at first
  uint64_t next_take_cycle_ = 0;  // the next segment at the earliest
  uint64_t next_emit_ = 0;        // the next burst at the earliest
  bool with_data_ = false;
  uint32_t operand_ = MXE_FAULT_NONE;
  std::vector<uint8_t> data_, enables_;  // whole beats
  std::size_t position_ = 0;             // in data_, of the burst
  // the burst
  Bursts::Burst burst_;
  unsigned beats_sent_ = 0;
  uint64_t first_beat_ = 0;    // is on the bus
  uint64_t emitted_ = 0;       // it enters the queue of bursts
  uint64_t address_fire_ = 0;  // its address is accepted

  History<uint64_t, kWriteQueue> rows_done_, bursts_done_;
  uint64_t issued_ = 0;                 // the memory got the burst before
  std::vector<uint64_t> acknowledged_;  // of as many bursts as a limit looks back
  uint64_t acknowledge_ = 0;            // of the burst before
  uint64_t bursts_ = 0;
  uint64_t idle_cycle_ = 0;
  Answers results_, record_;
};

}  // namespace mxe::engine
