// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "model/engine/timing/common/descriptor.h"
#include "model/engine/timing/common/fault.h"
#include "model/engine/timing/common/trace.h"
#include "model/engine/timing/read/rd_port.h"
#include "model/engine/timing/read/read_client.h"
#include "model/params/params.h"
#include "mxe_regs.h"

namespace mxe::engine {

/// Descriptor fetcher (mxe_desc): reads the descriptors of the next slots, at most
/// kDescriptorsAhead at a time, while the jobs before them are under way, keeps them in order, and
/// shows the oldest one until it is taken. If an early read fails, it and all later ones are
/// cancelled, and read again after the previous job has completed.
class Desc final : public ReadClient {
 public:
  Desc(const Params& params, TracePoint trace) : params_(params), trace_(trace) {}

  // --- Requests.
  /// Index of the slot that is read next.
  uint16_t next() const { return next_; }
  /// First cycle in which the next fetch may begin; kNever if that depends on outstanding fetches.
  uint64_t begin_cycle() const;
  /// True if the early read of the next slot failed, so that its fetch waits until its job is next.
  bool waits_for_turn() const { return rereads_; }
  /// Begins the fetch of the next slot, at `address`, in `cycle` (begins_o). `alone`: no job is in
  /// progress.
  void begin(uint64_t cycle, uint64_t address, bool alone);
  /// A burst of the oldest fetch has a response; `arrival` has its errors so far, after the last
  /// burst also its bytes.
  void arrive(const RdPort::Arrival& arrival);

  // --- Responses.
  /// Cycle of the last word of the oldest descriptor under way; kNever if there is none.
  uint64_t last_word() const { return flying_.empty() ? kNever : flying_.front().last_word; }
  /// Cycle in which report_fault() is due: one after the beat in error, if the oldest descriptor
  /// under way was fetched `alone`; kNever if there is none.
  uint64_t fault_cycle() const { return flying_.empty() ? kNever : flying_.front().fault_cycle; }
  Fault report_fault();
  /// The oldest descriptor under way is complete.
  void finish();
  /// Cycle in which the next descriptor moves to the output; kNever if none has arrived or the
  /// output is occupied.
  uint64_t read_cycle() const;
  void read(uint64_t cycle);

  // --- The oldest.
  bool is_ready() const { return ready_; }
  /// First cycle in which the oldest is valid.
  uint64_t ready_cycle() const { return ready_cycle_; }
  Descriptor descriptor() const { return parse_descriptor(oldest_.bytes); }
  uint16_t index() const { return static_cast<uint16_t>(out_ - 1); }
  /// MXE_STATUS_OK, or the status of the first violated rule.
  uint32_t status() const { return status_; }
  /// The oldest is taken in `cycle`.
  void take(uint64_t cycle);

  /// True if a fetch is requested, outstanding or not yet checked.
  bool is_reading() const { return requests_ || !flying_.empty() || (!held_.empty() && !ready_); }
  /// True if no descriptor is stored or requested; empty_cycle() is the first such cycle.
  bool is_empty() const { return !is_reading() && !ready_; }
  uint64_t empty_cycle() const { return read_cycle_ == 0 ? 0 : read_cycle_ - 1; }

  /// Beats are dropped: cancels the outstanding fetches.
  void drop();
  /// Clears everything; the next slot is 0.
  void reset();

  uint64_t request_cycle() const override { return requests_ ? request_cycle_ : kNever; }
  const Fetch& fetch() const override { return fetch_; }
  void accept(uint64_t cycle) override;
  void release(uint64_t) override {}
  uint64_t done_cycle() const override { return kNever; }
  void clear() override {}
  void visit(StateVisitor& visitor) override;
  Track track() const override { return Track::descriptor; }

 private:
  struct Fetched {
    uint64_t last_word = kNever, fault_cycle = kNever;
    bool alone = false, failed = false;
    Fault fault;
    DescriptorBytes bytes{};
  };

  std::deque<Fetched>::iterator first_incomplete();
  void go_back() { next_ = static_cast<uint16_t>(out_ + held_.size()); }

  Params params_;
  TracePoint trace_;
  bool requests_ = false, alone_ = false;  // a fetch waits for the read port; see begin()
  uint64_t request_cycle_ = 0;             // of that request, or of the next one at the earliest
  uint16_t next_ = 0, out_ = 0;            // slots: of that fetch; of the first that is held
  bool rereads_ = false, cancels_ = false;
  std::deque<Fetched> flying_, held_;
  unsigned dropped_count_ = 0;  // fetches that were dropped before their bytes arrived
  uint64_t room_cycle_ = 0;     // the cycle after a descriptor last moved to the output
  bool ready_ = false;
  uint64_t ready_cycle_ = 0, read_cycle_ = 0;
  Fetched oldest_;
  uint32_t status_ = MXE_STATUS_OK;
  Fetch fetch_;
};

}  // namespace mxe::engine
