// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/numerics/base/error.h"

namespace mxe::guest {
namespace {

constexpr std::size_t kChunk = 65536;
constexpr std::size_t kRemembered = 65536;  // bytes of the log
constexpr int kRoomForTasks = 1 << 20;      // bytes; about 1,500 for a task
constexpr char kLeave = 0x1d;               // Ctrl-]

}  // namespace

RawTerminal::RawTerminal() {
  tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  cfmakeraw(&raw);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void RawTerminal::restore() const noexcept { tcsetattr(STDIN_FILENO, TCSANOW, &before_); }

KernelLog::KernelLog(const std::string& path) {
  if (path.empty()) return;
  file_.emplace(path == "-" ? "/dev/stderr" : path);
}

void KernelLog::add(const char* text, std::size_t bytes) {
  if (file_) {
    file_->add({text, bytes});
    file_->flush();
  }
  last_.append(text, bytes);
  if (last_.size() > 2 * kRemembered) last_.erase(0, last_.size() - kRemembered);
}

void KernelLog::close() {
  if (file_) file_->close();
}

std::string KernelLog::tail(std::size_t lines) const {
  std::size_t begin = last_.size();
  for (std::size_t found = 0; begin > 0; begin--) {
    if (last_[begin - 1] == '\n' && begin != last_.size() && ++found == lines) break;
  }
  std::string text = last_.substr(begin);
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

Console::Pipe Console::make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  return {uml::FileDescriptor(ends[0]), uml::FileDescriptor(ends[1])};
}

Console::Console(uml::Machine& machine, KernelLog& log, Input input)
    : machine_(machine),
      log_(log),
      input_(input),
      nothing_(open("/dev/null", O_RDWR | O_CLOEXEC)),
      in_(make_pipe()),
      terminal_out_(make_pipe()),
      out_(make_pipe()),
      error_(make_pipe()),
      messages_(make_pipe()),
      ready_(make_pipe()),
      host_(make_pipe()) {
  for (Pipe& pipe : quiet_) pipe = make_pipe();
  // Linux does not wait when it prints its tasks, so the pipe must hold all of them.
  fcntl(messages_.write.get(), F_SETPIPE_SZ, kRoomForTasks);
  fcntl(in_.write.get(), F_SETFL, fcntl(in_.write.get(), F_GETFL) | O_NONBLOCK);
  const auto to = [this](int file) {
    return [this, file](const char* text, std::size_t bytes) { return print(file, text, bytes); };
  };
  if (input == Input::terminal) watch_output(terminal_out_.read.get(), to(STDOUT_FILENO));
  watch_output(out_.read.get(), to(STDOUT_FILENO));
  watch_output(error_.read.get(), to(STDERR_FILENO));
  watch_output(messages_.read.get(), [this](const char* text, std::size_t bytes) {
    log_.add(text, bytes);
    // Every run ends with this line, so the text read with it is not shown.
    if (std::string(text, bytes).find("reboot: Power down") != std::string::npos) return true;
    if (hides_log_) hidden_log_.append(text, bytes);
    return log_.has_file() || hides_log_ || print(STDERR_FILENO, text, bytes);
  });
  drain_log_ = drains_.back();
  watch_output(host_.read.get(), [this](const char* text, std::size_t bytes) {
    log_.add(text, bytes);
    return true;
  });
  if (input == Input::none) {
    in_.write.reset();
  } else {
    machine_.watch(ready_.read.get(), POLLIN, [this] {
      watch_input();
      return false;
    });
  }
}

std::vector<int> Console::kernel_files() const {
  std::vector<int> files = {nothing_.get(),        host_.write.get(),  host_.write.get(),
                            in_.read.get(),        out_.write.get(),   error_.write.get(),
                            messages_.write.get(), ready_.write.get(), terminal_out_.write.get()};
  for (const Pipe& pipe : quiet_) files.push_back(pipe.read.get());
  return files;
}

std::vector<std::string> Console::kernel_words() const {
  // A bidirectional console has two files: Linux may wait for output, but never for input.
  return {input_ == Input::terminal ? "con0=fd:3,fd:8" : "con0=fd:3,null",
          "con1=fd:9,fd:4",
          "con2=fd:10,fd:5",
          "con3=fd:11,fd:6",
          "con4=fd:12,fd:7",
          "console=tty3"};
}

void Console::started() {
  for (uml::FileDescriptor* end : {&in_.read, &out_.write, &error_.write, &messages_.write,
                                   &ready_.write, &terminal_out_.write, &host_.write}) {
    end->reset();
  }
  for (Pipe& pipe : quiet_) pipe.read.reset();
}

void Console::watch_output(int from, std::function<bool(const char*, std::size_t)> take) {
  // Returns true if more data may follow.
  const auto carry = [from, take = std::move(take)] {
    char text[kChunk];
    const ssize_t bytes = read(from, text, sizeof text);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    return bytes > 0 && take(text, static_cast<std::size_t>(bytes));
  };
  machine_.watch(from, POLLIN, carry);
  drains_.push_back([from, carry] {
    pollfd end{from, POLLIN, 0};
    while (poll(&end, 1, 0) > 0 && carry()) {
    }
  });
}

void Console::drain() {
  for (const auto& drain : drains_) drain();
  if (failure_.empty()) return;
  throw Error(failure_);
}

std::string Console::take_log() {
  drain_log_();
  hides_log_ = false;
  return std::exchange(hidden_log_, {});
}

bool Console::print(int to, const char* text, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t done = write(to, text, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      failure_ = fmt::format("standard {}: cannot write: {}",
                             to == STDOUT_FILENO ? "output" : "error", std::strerror(errno));
      machine_.stop();
      return false;
    }
    text += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

void Console::watch_input() {
  machine_.watch(
      STDIN_FILENO, POLLIN, [this] { return take_input(); }, true);
}

/// Returns true to continue watching standard input.
bool Console::take_input() {
  char text[kChunk];
  const ssize_t bytes = read(STDIN_FILENO, text, sizeof text);
  if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (bytes <= 0) {
    in_.write.reset();
    machine_.wake();
    return false;
  }
  pending_.assign(text, static_cast<std::size_t>(bytes));
  if (input_ == Input::terminal && pending_.find(kLeave) != std::string::npos) {
    machine_.stop();
    return false;
  }
  if (!pass_input()) return true;
  machine_.watch(
      in_.write.get(), POLLOUT,
      [this] {
        if (pass_input()) return true;
        watch_input();
        return false;
      },
      true);
  return false;
}

/// Writes pending input to Linux. Returns true if some remains.
bool Console::pass_input() {
  const ssize_t bytes = write(in_.write.get(), pending_.data(), pending_.size());
  if (bytes > 0) pending_.erase(0, static_cast<std::size_t>(bytes));
  if (bytes < 0 && errno != EAGAIN && errno != EINTR) pending_.clear();
  machine_.wake();
  return !pending_.empty();
}

}  // namespace mxe::guest
