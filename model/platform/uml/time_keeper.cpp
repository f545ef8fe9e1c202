// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/time_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace mxe::uml {
namespace {

/// Time of day at the start, fixed so that runs are reproducible.
constexpr uint64_t kTimeOfDay = 1'700'000'000'000'000'000;

/// A memory file, sealed so that Linux cannot make it smaller.
FileDescriptor make_file(const char* name, std::size_t bytes) {
  FileDescriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid() || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    throw Error(fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  }
  return file;
}

}  // namespace

TimeKeeper::TimeKeeper()
    : file_(make_file("schedule", sizeof(TimeSchedule))), log_(make_file("log", 0)) {
  void* data =
      mmap(nullptr, sizeof(TimeSchedule), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (data == MAP_FAILED) {
    throw Error(fmt::format("cannot map a file in memory: {}", std::strerror(errno)));
  }
  schedule_ = new (data) TimeSchedule;
}

TimeKeeper::~TimeKeeper() { munmap(schedule_, sizeof(TimeSchedule)); }

std::optional<TimeMessage> TimeKeeper::handle(const TimeMessage& message, uint64_t now) {
  TimeMessage answer = message;
  answer.op = static_cast<uint32_t>(TimeOp::ack);
  switch (static_cast<TimeOp>(message.op)) {
    case TimeOp::start:
      answer.time = TimeSchedule::kLinux;
      return answer;
    case TimeOp::wait:
      waiting_ = true;
      return std::nullopt;
    case TimeOp::get_time_of_day:
      answer.time = kTimeOfDay + now;
      return answer;
    case TimeOp::ack:
    case TimeOp::run:
      break;
  }
  throw ProtocolError(fmt::format("unknown message {} about time", message.op));
}

uint64_t TimeKeeper::wanted() const {
  const bool wants = (schedule_->client.flags & TimeSchedule::kWants) != 0;
  return wants ? schedule_->client.wanted.load() : kNever;
}

uint64_t TimeKeeper::shown() const { return schedule_->now; }

void TimeKeeper::show(uint64_t now) { schedule_->now = now; }

void TimeKeeper::permit(uint64_t until) { schedule_->free_until = until; }

TimeMessage TimeKeeper::run(uint64_t now) {
  waiting_ = false;
  show(now);
  return {static_cast<uint32_t>(TimeOp::run), ++sequence_, now};
}

}  // namespace mxe::uml
