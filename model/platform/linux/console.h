// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/files/files.h"
#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/machine.h"

namespace mxe::guest {

/// Sets this process's terminal to raw mode during its lifetime.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal() { restore(); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  /// Async-signal-safe.
  void restore() const noexcept;

 private:
  termios before_{};
};

/// The kernel's log: written to a file, if requested; the last part is kept in memory.
class KernelLog {
 public:
  /// `path`: "" for no file, "-" for standard error. Throws Error if it cannot be written.
  explicit KernelLog(const std::string& path);

  void add(const char* text, std::size_t bytes);
  bool has_file() const { return file_.has_value(); }
  /// Throws Error unless everything has been written.
  void close();
  /// Returns at most `lines` last lines.
  std::string tail(std::size_t lines) const;

 private:
  std::optional<numerics::OutputFile> file_;
  std::string last_;
};

/// Transfers data between the consoles of Linux and the standard files of this process.
class Console {
 public:
  enum class Input { none, piped, terminal };

  Console(uml::Machine& machine, KernelLog& log, Input input);

  /// File descriptors for the kernel, from number 0, and the command-line words that name them.
  std::vector<int> kernel_files() const;
  std::vector<std::string> kernel_words() const;
  /// Call after the kernel has received its files: closes our copies.
  void started();
  /// Transfers remaining output after the kernel's end. Throws Error if a byte could not be
  /// written.
  void drain();
  /// After hide_log(), the kernel's log is not printed, only written to the log file, if any.
  /// take_log() ends this and returns the hidden log.
  void hide_log() { hides_log_ = true; }
  std::string take_log();
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
  std::array<Pipe, 4> quiet_;  // unused inputs of the output-only consoles
  Pipe ready_;                 // Linux signals that it accepts input
  Pipe host_;                  // output of the User-mode Linux process itself
  std::string pending_;        // input not yet written to Linux
  bool hides_log_ = false;
  std::string hidden_log_;
  std::vector<std::function<void()>> drains_;
  std::string failure_;  // error while writing standard output or error
  std::function<void()> drain_log_;
};

}  // namespace mxe::guest
