// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/protocol.h"

namespace mxe::uml {

/// The clock of Linux, as far as messages and the memory that it shares with us say it. Linux
/// computes in no time at all; time passes while it waits. All times are nanoseconds of Linux's
/// clock. Linux waits by a message and goes on by one; all else stands in the shared memory, since
/// a message costs two switches between processes, and Linux looks at its clock often.
class TimeKeeper {
 public:
  /// What Linux asks for when it wants to sleep for ever.
  static constexpr uint64_t kNever = INT64_MAX;

  /// Throws mx::Error if there is no memory to share.
  TimeKeeper();
  ~TimeKeeper();
  TimeKeeper(const TimeKeeper&) = delete;
  TimeKeeper& operator=(const TimeKeeper&) = delete;

  /// Takes a message that came at `now`. Returns the answer, if it gets one; `files_wanted` says
  /// whether file() and log() have to go with it. Throws ProtocolError.
  std::optional<TimeMessage> handle(const TimeMessage& message, uint64_t now);
  static bool files_wanted(const TimeMessage& message) {
    return static_cast<TimeOp>(message.op) == TimeOp::start;
  }
  /// The shared memory, and a file for what Linux may have to say about it, which is nothing.
  int file() const { return file_.get(); }
  int log() const { return log_.get(); }

  /// Whether Linux waits, and until when it wants to. Linux may change its mind in an interrupt.
  bool waiting() const { return waiting_; }
  uint64_t wanted() const;
  /// What Linux's clock shows. While Linux runs it sets the clock, before it reaches out to us.
  uint64_t shown() const;
  /// Sets the clock of a Linux that waits.
  void show(uint64_t now);
  /// Linux goes on at `now`: returns the message that says so.
  TimeMessage run(uint64_t now);
  /// Nothing happens to Linux before `until` unless it reaches out to us, so up to then, and not
  /// at that time, its clock may go on without waiting. Holds until the next such call.
  void permit(uint64_t until);

 private:
  FileDescriptor file_, log_;
  TimeSchedule* schedule_;
  bool waiting_ = false;
  uint32_t sequence_ = 0;
};

}  // namespace mxe::uml
