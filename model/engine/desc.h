// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/descriptor.h"
#include "model/engine/fault.h"
#include "model/engine/rd_port.h"
#include "model/engine/read_client.h"
#include "model/engine/trace.h"

namespace mxe {

/// Descriptor fetcher (mxe_desc): reads the descriptor of the next slot, while the job before it
/// runs if there is one, and keeps it until it is taken. What cannot be read ahead of its turn is
/// forgotten and read again when its turn has come.
class Desc final : public ReadClient {
 public:
  enum class State : uint8_t { idle, ask, read, ready };

  explicit Desc(TracePoint trace) : trace_(trace) {}

  State state() const { return state_; }
  /// First cycle of the state.
  uint64_t from() const { return from_; }
  bool is_reading() const { return state_ == State::ask || state_ == State::read; }
  /// Whether it could not be read ahead, so that its fetch waits until its turn.
  bool waits_for_turn() const { return again_; }

  /// The fetch of the slot at `address` begins in `cycle` (begins_o); `alone`: no job before it is
  /// under way.
  void begin(uint64_t cycle, uint64_t address, bool alone);
  /// Accepted, its beats arrive like that.
  void arrive(const RdPort::Arrival& arrival);
  /// While it is read: the cycle of its last word.
  uint64_t last_word() const { return state_ == State::read ? last_word_ : kNever; }
  void finish();
  /// Beats after `cycle` are dropped.
  void drop(uint64_t cycle);
  /// It is taken, or forgotten, in `cycle`.
  void take(uint64_t cycle) { enter(State::idle, cycle + 1); }

  const DescriptorBytes& bytes() const { return bytes_; }
  /// Whether the bus refused it, and where.
  bool failed() const { return failed_; }
  const Fault& fault() const { return fault_; }

  uint64_t request_from() const override { return state_ == State::ask ? from_ : kNever; }
  const Fetch& fetch() const override { return fetch_; }
  void accept(uint64_t cycle) override { enter(State::read, cycle + 1); }
  void release(uint64_t) override {}
  uint64_t done_from() const override { return kNever; }
  void clear() override {}
  void visit(StateVisitor& visitor) override;
  Track track() const override { return Track::descriptor; }

 private:
  void enter(State state, uint64_t cycle) {
    state_ = state;
    from_ = cycle;
  }

  TracePoint trace_;
  State state_ = State::idle;
  uint64_t from_ = 0;
  bool ahead_ = false, again_ = false, failed_ = false;
  uint64_t last_word_ = 0;
  Fetch fetch_;
  Fault fault_;
  DescriptorBytes bytes_{};
};

}  // namespace mxe
