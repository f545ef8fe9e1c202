// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mxe::guest {

/// Input of Linux's first program, model/platform/linux/init.c.
struct SessionPlan {
  std::vector<std::string> arguments;
  std::string directory;
  std::string module;        ///< path of the driver on the host; empty for none
  std::string input;         ///< "null", "console" or "OFFSET:PATH" of a file
  bool interactive = false;  ///< on a terminal, with job control
  unsigned rows = 0, columns = 0;
};

struct SessionEnd {
  enum class What { exited, killed, failed } what = What::exited;
  int number = 0;       ///< exit code or signal
  std::string message;  ///< reason, if the program was not started
};

/// A folder shared with Linux during a run: sockets, plan, end status. Removed with this object.
class Session {
 public:
  /// Throws Error if the folder cannot be created.
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& folder() const { return folder_; }
  std::string device_socket() const { return folder_ + "/device"; }
  std::string time_socket() const { return folder_ + "/time"; }
  /// Folder and socket of the management console, created by User-mode Linux.
  static constexpr const char* kManagementName = "kernel";
  std::string management_socket() const { return management_folder_ + "/mconsole"; }

  /// Writes the plan and this process's environment. Throws Error.
  void write(const SessionPlan& plan) const;
  /// Copies standard input to a file and returns its path. Throws Error.
  std::string store_input() const;
  std::optional<SessionEnd> end() const;

  /// Removes the folder; async-signal-safe.
  void remove() const noexcept;

 private:
  std::string folder_, management_folder_;
  std::vector<std::string> files_;
};

}  // namespace mxe::guest
