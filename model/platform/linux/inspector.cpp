// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/inspector.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/platform/linux/task_report.h"

namespace mxe::guest {
namespace {

constexpr time_t kPatienceSeconds = 10;  // wall-clock time
constexpr uint32_t kMagic = 0xcafebabe, kVersion = 2;
constexpr std::size_t kMostData = 512;
constexpr int kAnswers = 2;  // responses to the first and the last command

// arch/um/drivers/mconsole.h
struct Request {
  uint32_t magic = kMagic, version = kVersion, bytes = 0;
  char data[kMostData] = {};
};

struct Reply {
  uint32_t error, more, bytes;
  char data[kMostData];
};

/// Opens a socket for commands and responses, with an autobound address. Invalid on failure.
uml::FileDescriptor open_socket(const std::string& path) {
  uml::FileDescriptor file(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un own{}, kernel{};
  own.sun_family = kernel.sun_family = AF_UNIX;
  if (path.size() >= sizeof kernel.sun_path) return {};
  path.copy(kernel.sun_path, sizeof kernel.sun_path - 1);
  const auto address = [](const sockaddr_un& of) { return reinterpret_cast<const sockaddr*>(&of); };
  if (bind(file.get(), address(own), sizeof own.sun_family) != 0 ||
      connect(file.get(), address(kernel), sizeof kernel) != 0)
    return {};
  return file;
}

bool send_command(const uml::FileDescriptor& to, const std::string& command) {
  Request request;
  request.bytes = static_cast<uint32_t>(command.size());
  command.copy(request.data, kMostData - 1);
  return send(to.get(), &request, sizeof request, 0) == static_cast<ssize_t>(sizeof request);
}

}  // namespace

Inspector::Inspector(uml::Machine& machine, Console& console, const Session& session)
    : machine_(machine), console_(console), socket_path_(session.management_socket()) {
  machine_.inspect_with([this] { return ask(); });
}

bool Inspector::ask() {
  report_ = "Linux did not answer a request for its tasks\n";
  answer_count_ = 0;
  control_ = open_socket(socket_path_);
  timer_.reset(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  itimerspec end{};
  end.it_value.tv_sec = kPatienceSeconds;
  timerfd_settime(timer_.get(), 0, &end, nullptr);
  console_.hide_log();
  if (!send_commands()) {
    console_.take_log();
    return false;
  }
  machine_.watch(
      control_.get(), POLLIN, [this] { return take_replies(); }, true);
  machine_.watch(
      timer_.get(), POLLIN, [this] { return give_up(); }, true);
  machine_.wake();
  return true;
}

/// Tasks have level "info", which the console hides by default. They are also the second command's
/// response, which exceeds the socket's buffer; so that command has its own socket, closed at once.
bool Inspector::send_commands() {
  return control_.valid() && send_command(control_, "sysrq 8") &&
         send_command(open_socket(socket_path_), "sysrq t") &&
         send_command(control_, console_.shows_all_of_the_log() ? "sysrq 8" : "sysrq 5");
}

/// Returns true if more replies may follow.
bool Inspector::take_replies() {
  Reply reply;
  for (;;) {
    const ssize_t bytes = recv(control_.get(), &reply, sizeof reply, 0);
    if (bytes < static_cast<ssize_t>(offsetof(Reply, data))) return true;
    if (reply.more == 0 && ++answer_count_ == kAnswers) break;
  }
  machine_.unwatch(timer_.get());
  answered();
  return false;
}

void Inspector::answered() {
  const std::vector<Task> tasks = read_tasks(console_.take_log());
  report_ = describe_tasks(tasks);
  machine_.inspected(find_stuck(tasks));
}

/// Returns false to stop waiting.
bool Inspector::give_up() {
  machine_.unwatch(control_.get());
  console_.take_log();
  machine_.inspected(std::nullopt);
  return false;
}

}  // namespace mxe::guest
