// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/memory/memory_port.h"
#include "model/engine/skipping/repetition.h"
#include "model/engine/timing/common/counters.h"
#include "model/engine/timing/common/descriptor.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/compute/array.h"
#include "model/engine/timing/compute/seq.h"
#include "model/engine/timing/compute/whole_job.h"
#include "model/engine/timing/control/desc.h"
#include "model/engine/timing/control/engine_config.h"
#include "model/engine/timing/control/record.h"
#include "model/engine/timing/control/slots.h"
#include "model/engine/timing/read/cbuf.h"
#include "model/engine/timing/read/feed.h"
#include "model/engine/timing/read/load.h"
#include "model/engine/timing/read/load_bias.h"
#include "model/engine/timing/read/opbuf.h"
#include "model/engine/timing/read/rd_port.h"
#include "model/engine/timing/write/drain.h"
#include "model/engine/timing/write/wr_port.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Everything between the command processor and memory: loaders, buffers, feeder, sequencer, array,
/// drain and both ports, wired as in mxe_datapath.
///
/// Times are computed event by event: a row fetch accepted by the read port, the B words of a pass
/// read, a pass started, a row drained. Whatever else happens follows from these by fixed latencies
/// and by the order of queues. An event affects only events in later cycles, so always carrying
/// out the earliest one gives the cycles of the RTL. Bursts are events, too, so that the memory
/// receives them in the order of their cycles; if it takes any order, they are issued at once.
class Datapath {
 public:
  Datapath(const EngineConfig& config, MemoryPort& memory, Counters& counters);
  Datapath(const Datapath&) = delete;  // its blocks refer to each other
  Datapath& operator=(const Datapath&) = delete;

  /// The descriptor fetcher, which reads through the same port.
  Desc& desc() { return desc_; }
  /// Finds the next event again, after a descriptor fetch has begun or a record was written.
  void look_again() {
    requests_changed_ = true;
    next_ = find_next_event();
  }

  /// The jobs that are running, waiting and ahead.
  Slots& slots() { return slots_; }
  /// Passes the slots that have changed to the watcher, as they are in `cycle`.
  void show_slots(uint64_t cycle);

  /// The job in the slot `run` starts in `cycle` (start_i), and its loaders too if they were not
  /// started early.
  void start(uint64_t cycle);
  /// First cycle in which the loaders may start early with the job ahead; kNever if they may not:
  /// they are still busy or already started, or the buffers cannot hold its operands together with
  /// those of the running job.
  uint64_t early_load_cycle() const;
  /// Starts the loaders early with the job ahead, in `cycle`.
  void load_early(uint64_t cycle);
  /// First cycle in which all operands have been requested; kNever if requests remain.
  uint64_t loads_done_cycle() const;
  /// Cycle of the next event of the job, of an early load, of the descriptor fetcher or of a port;
  /// kNever if there is none.
  uint64_t next_event() const { return next_.cycle; }
  /// True if all events of the job are done.
  bool job_over() const { return job_over_; }
  /// True if the last events may change the next step of the command processor.
  bool concerns_others() const;
  /// Carries out the next event. If the job repeats itself, skips whole periods that end by cycle
  /// `limit`; the outcome is the same. `last`: last cycle in which new reads may be issued; kNever
  /// if unknown.
  void step(uint64_t limit, uint64_t last);
  /// After the last event: the cycle in which the command processor sees that the job is done
  /// (job_done).
  uint64_t done_cycle() const { return wr_port_.sent_cycle(); }
  /// First cycle in which no result is under way.
  uint64_t results_answered_cycle() const { return wr_port_.results_answered_cycle(); }
  /// The running job has been computed; `cycle` is its last.
  void finish(uint64_t cycle) {
    seq_.finish(cycle);
    wr_port_.begin_job();
  }
  /// Cycle of the next burst of the ports; kNever if none waits for its cycle.
  uint64_t issue_cycle() const { return std::min(rd_port_.issue_cycle(), wr_port_.issue_cycle()); }
  /// Issues that burst.
  void issue();
  /// Takes the responses that the memory has given since, and finds the next event again.
  void take_late_responses() {
    take_responses();
    look_again();
  }
  /// First issue cycle of the bursts without response; kNever if there is none.
  uint64_t oldest_burst_cycle() const {
    return std::min(rd_port_.oldest_cycle(), wr_port_.oldest_cycle());
  }
  /// During an abort: cycle of the next burst, or in which a row continues; kNever if there is
  /// none.
  uint64_t ending_cycle() const { return std::min(issue_cycle(), drain_.resume_cycle()); }
  /// Carries out that event.
  void step_ending();
  /// No further reads are requested: of a row fetch, the next burst is the last one.
  void stop_requests() { rd_port_.stop_after_next(); }
  /// Aborts the running job; `cycle` is its last.
  void abort_job(uint64_t cycle);

  /// Cycle of the first bus error of the results, kNever if none.
  uint64_t write_error() const { return wr_port_.result_answers()->error; }
  const Fault& write_fault() const { return wr_port_.result_answers()->fault; }
  /// First cycle with nothing under way, if requests stop after `cycle` (halt_i).
  uint64_t drained_cycle(uint64_t cycle) const;
  /// clear_i in `cycle`.
  void clear(uint64_t cycle);

  /// Cycles skipped so far.
  uint64_t skipped_cycles() const { return skipped_cycles_; }
  /// Row fetches and passes simulated so far, that is, not skipped.
  uint64_t simulated_fetches() const { return simulated_fetches_; }
  uint64_t simulated_passes() const { return simulated_passes_; }

  WrPort& wr_port() { return wr_port_; }
  /// The records of computed jobs, written through the same port.
  Record& record() { return record_; }
  const Arithmetic& arithmetic() const { return *arithmetic_; }
  /// Counts the bytes of a row of `bytes` that is complete at the write port in `cycle`.
  void count_written(uint64_t cycle, uint32_t bytes) {
    counters_.add(Counter::bytes_written, cycle, cycle + 1, bytes);
  }

 private:
  /// The blocks with events. Events in the same cycle are carried out in this order.
  enum class Source : uint8_t { issue, fetch, feed, seq, drain };
  static constexpr std::array<Source, 5> kSources{Source::issue, Source::fetch, Source::feed,
                                                  Source::seq, Source::drain};
  struct NextEvent {
    uint64_t cycle = kNever;
    Source source = Source::fetch;
  };

  bool functional() const { return mode_ == Mode::functional; }
  /// True if operands pass through the buffers.
  bool data_flows() const { return functional() && !whole_; }
  bool may_skip() const;
  void read_requests();
  /// A pass needs all of A's chunk and one slab of B. After the request of the first slab, the
  /// chunk is preferred to further slabs.
  bool a_first() const { return chunks_ahead_ < 0; }
  bool computes_whole(const Descriptor& job) const;
  void start_loaders(uint64_t cycle, const Descriptor& job, bool chained);
  OperandView view_of_b(const Descriptor& job) const;
  uint64_t next_event_of(Source source) const;
  NextEvent find_next_event();
  void accept_fetch(uint64_t cycle);
  void issue_at_once(bool aborts_job);
  void take_responses();
  void take_arrival(const RdPort::Flight& flight);
  void deliver(const Fetch& fetch, const RdPort::Arrival& arrival);
  void read_b_words(uint64_t cycle, uint64_t limit);
  std::optional<Loop> stepped_loop() const;
  void skip_repetitions(uint64_t now, Loop loop, uint64_t limit);
  void write_skipped_rows(Rows rows, uint64_t cycle);
  void visit(StateVisitor& visitor);
  void start_pass();
  void take_drained(const Drain::Drained& drained);

  Params params_;
  Counters& counters_;
  Mode mode_;
  MemoryPort& memory_;
  TracePoint trace_;
  BlockWatcher* watcher_;     // null: none
  bool loads_flow_ = false;   // loaded operands pass through the buffers
  int64_t chunks_ahead_ = 0;  // A chunks requested minus A chunks whose first B slab was requested
  bool one_chunk_ = false, mx_out_ = false;         // of the job
  const job::NumberFormat* numbers_out_ = nullptr;  // null if MX
  std::vector<uint16_t> narrow_;                    // a row of results
  Repetition repetition_;
  uint64_t skipped_cycles_ = 0, simulated_fetches_ = 0, simulated_passes_ = 0;
  WholeJob whole_job_;
  const WholeJob* whole_ = nullptr;  // results computed at the start of the job; null if not so
  std::unique_ptr<OperandLoader> load_a_, load_b_;
  LoadBias load_bias_;
  Desc desc_;
  std::array<ReadClient*, kReadSources> clients_;  // of the read port, in falling priority
  ReadRequests requests_{};                        // at the last find_next_event()
  bool requests_changed_ = true;                   // they may have changed since
  uint64_t next_accept_ = kNever;                  // of requests_
  RdPort rd_port_;
  WrPort wr_port_;
  Record record_;
  std::unique_ptr<Arithmetic> arithmetic_;
  OpBuf a_buf_, b_buf_;
  CBuf c_buf_;
  Feed feed_;
  Seq seq_;
  Array array_;
  Drain drain_;
  NextEvent next_;
  bool job_over_ = true;
  bool has_issued_ = false;  // the last event was a burst
  uint64_t last_ = kNever;   // last cycle in which new reads may be issued, see step()
  Slots slots_;
  std::array<uint8_t, kPipelineSlots> shown_slots_{};  // last values passed to the watcher
  uint64_t shown_cycle_ = 0;
};

}  // namespace mxe::engine
