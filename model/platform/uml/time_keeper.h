// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/protocol.h"

namespace mxe::uml {

/// Linux's clock in nanoseconds, controlled by messages and shared memory. Linux computes in zero
/// time; time passes while it waits. Messages cost context switches: after the start, only waits
/// and resumes need them.
class TimeKeeper {
 public:
  /// Wanted time of a Linux that sleeps without a timeout.
  static constexpr uint64_t kNever = INT64_MAX;

  TimeKeeper();
  ~TimeKeeper();
  TimeKeeper(const TimeKeeper&) = delete;
  TimeKeeper& operator=(const TimeKeeper&) = delete;

  /// Response to a message received at `now`, if required. If files_wanted(), file() and log() must
  /// be sent with it. Throws ProtocolError.
  std::optional<TimeMessage> handle(const TimeMessage& message, uint64_t now);
  static bool files_wanted(const TimeMessage& message) {
    return static_cast<TimeOp>(message.op) == TimeOp::start;
  }
  /// The shared memory, and the log file that the protocol requires (unused).
  int file() const { return file_.get(); }
  int log() const { return log_.get(); }

  /// True if Linux waits, until wanted(). An interrupt handler may change wanted().
  bool waiting() const { return waiting_; }
  uint64_t wanted() const;
  /// Value of Linux's clock. While running, Linux sets it before it sends a message.
  uint64_t shown() const;
  void show(uint64_t now);
  /// Resumes Linux at `now`: returns the message to send.
  TimeMessage run(uint64_t now);
  /// Allows Linux to advance its clock up to `until` (exclusive) without waiting, because no event
  /// for it occurs before. Valid until the next call.
  void permit(uint64_t until);

 private:
  FileDescriptor file_, log_;
  TimeSchedule* schedule_;
  bool waiting_ = false;
  uint32_t sequence_ = 0;
};

}  // namespace mxe::uml
