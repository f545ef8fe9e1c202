// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/time_keeper.h"

#include <fmt/format.h>

namespace mxe::uml {
namespace {

/// The calendar of Linux begins with this second, so that every run sees the same one.
constexpr uint64_t kTimeOfDay = 1'700'000'000'000'000'000;

}  // namespace

TimeMessage TimeKeeper::handle(const TimeMessage& message, uint64_t now) {
  TimeMessage answer = message;
  answer.op = static_cast<uint32_t>(TimeOp::ack);
  switch (static_cast<TimeOp>(message.op)) {
    case TimeOp::start:
      answer.time = 0;  // no schedule in shared memory
      return answer;
    case TimeOp::request:
      wanted_ = message.time;
      return answer;
    case TimeOp::wait:
      waiting_ = true;
      return answer;
    case TimeOp::get:
      answer.time = now;
      return answer;
    case TimeOp::update:
      return answer;
    case TimeOp::get_time_of_day:
      answer.time = kTimeOfDay + now;
      return answer;
    case TimeOp::ack:
    case TimeOp::run:
      break;
  }
  throw ProtocolError(fmt::format("unknown message {} about time", message.op));
}

TimeMessage TimeKeeper::run(uint64_t now) {
  waiting_ = false;
  wanted_ = kNever;
  return {static_cast<uint32_t>(TimeOp::run), ++sequence_, now};
}

}  // namespace mxe::uml
