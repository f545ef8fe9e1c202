// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mxe::guest {

/// What the first program of Linux, sw/guest/init.c, is told.
struct SessionPlan {
  std::vector<std::string> arguments;  ///< the program and its arguments
  std::string directory;               ///< where it runs
  std::string module;                  ///< the driver, as the host names it; empty for none
  std::string input;                   ///< "null", "console" or "OFFSET:PATH" of a file
  bool interactive = false;            ///< on a terminal, with job control
  unsigned rows = 0, columns = 0;      ///< of that
};

/// How the program ended.
struct SessionEnd {
  enum class What { exited, killed, failed } what = What::exited;
  int number = 0;       ///< exit code or signal
  std::string message;  ///< if it was not even started
};

/// A folder that this host and Linux share for a run: sockets, the plan, and how it ended. It goes
/// with its owner.
class Session {
 public:
  /// Throws mx::Error if there can be no such folder.
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& folder() const { return folder_; }
  std::string device_socket() const { return folder_ + "/device"; }
  std::string time_socket() const { return folder_ + "/time"; }
  /// The folder that User-mode Linux makes for its management console, and the socket in it.
  static constexpr const char* kManagementName = "kernel";
  std::string management_socket() const { return management_folder_ + "/mconsole"; }

  /// Writes the plan, and this process's environment with it. Throws mx::Error.
  void write(const SessionPlan& plan) const;
  /// Reads standard input to its end, into a file, whose name it returns. Throws mx::Error.
  std::string store_input() const;
  /// What Linux has written; nothing if it has not.
  std::optional<SessionEnd> end() const;

  /// Removes the folder; may be called by a handler of a signal.
  void remove() const noexcept;

 private:
  std::string folder_, management_folder_;
  std::vector<std::string> files_;
};

}  // namespace mxe::guest
