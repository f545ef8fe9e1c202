// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/files.h"
#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/machine.h"

namespace mxe::guest {

/// The terminal of this process, raw while this object lives.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal() { restore(); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  /// May be called by a handler of a signal.
  void restore() const noexcept;

 private:
  termios before_{};
};

/// What the kernel says about itself: into a file if one was asked for, the last of it in memory.
class KernelLog {
 public:
  /// Throws mx::Error if the file cannot be written. `path` empty: none; "-": standard error.
  explicit KernelLog(const std::string& path);

  void add(const char* text, std::size_t bytes);
  bool has_file() const { return file_.has_value(); }
  /// Throws mx::Error unless all of it is in the file.
  void close();
  /// The last lines, at most so many.
  std::string tail(std::size_t lines) const;

 private:
  std::optional<mx::OutputFile> file_;
  std::string last_;
};

/// Carries bytes between the consoles of Linux and the standard files of this process.
class Console {
 public:
  enum class Input { none, piped, terminal };

  Console(uml::Machine& machine, KernelLog& log, Input input);

  /// The kernel's files, from number 0, and the words of its command line that name them.
  std::vector<int> kernel_files() const;
  std::vector<std::string> kernel_words() const;
  /// The kernel has its files now: lets go of its ends.
  void started();
  /// Carries what is left after the kernel has ended. Throws mx::Error if standard output or error
  /// could not be written.
  void drain();
  /// Between the two, the kernel's log goes into the file of the log alone, if there is one.
  /// take_log() returns what came.
  void hide_log() { hides_log_ = true; }
  std::string take_log();
  /// Whether the kernel prints all of its log, because there is a file for it.
  bool shows_all_of_the_log() const { return log_.has_file(); }

 private:
  struct Pipe {
    uml::FileDescriptor read, write;
  };
  static Pipe make_pipe();

  void watch_output(int from, std::function<bool(const char*, std::size_t)> take);
  void watch_input();
  bool take_input();
  bool pass_input();
  bool print(int to, const char* text, std::size_t bytes);

  uml::Machine& machine_;
  KernelLog& log_;
  Input input_;
  uml::FileDescriptor nothing_;
  Pipe in_, terminal_out_, out_, error_, messages_;
  std::array<Pipe, 4> quiet_;  // the input, which never comes, of what is output alone
  Pipe ready_;                 // says that Linux listens to input
  Pipe host_;                  // of the process itself, not of its kernel
  std::string pending_;        // input that Linux has not taken
  bool hides_log_ = false;
  std::string hidden_log_;
  std::vector<std::function<void()>> drains_;
  std::string failure_;  // of writing to standard output or error
  std::function<void()> drain_log_;
};

}  // namespace mxe::guest
