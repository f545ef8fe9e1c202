// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/platform/uml/protocol.h"

namespace mxe::uml {

/// What Linux wants of the one who keeps its clock, as far as messages say it. Linux computes in no
/// time at all; time passes while it waits. All times are nanoseconds of Linux's clock.
class TimeKeeper {
 public:
  /// What Linux asks for when it wants to sleep for ever.
  static constexpr uint64_t kNever = INT64_MAX;

  /// Takes a message that came at `now`. Returns the answer; `files_wanted` says whether files have
  /// to go with it. An update in the message is the caller's to follow. Throws ProtocolError.
  TimeMessage handle(const TimeMessage& message, uint64_t now);
  static bool files_wanted(const TimeMessage& message) {
    return static_cast<TimeOp>(message.op) == TimeOp::start;
  }
  /// Whether `message` is the answer to one of ours, which needs none.
  static bool is_answer(const TimeMessage& message) {
    return static_cast<TimeOp>(message.op) == TimeOp::ack;
  }

  /// Whether Linux waits, and until when it wants to.
  bool waiting() const { return waiting_; }
  uint64_t wanted() const { return wanted_; }
  /// Linux goes on at `now`: returns the message that says so.
  TimeMessage run(uint64_t now);

 private:
  bool waiting_ = false;
  uint64_t wanted_ = kNever;
  uint32_t sequence_ = 0;
};

}  // namespace mxe::uml
