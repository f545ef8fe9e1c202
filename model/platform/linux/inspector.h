// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/platform/linux/console.h"
#include "model/platform/linux/session.h"
#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/machine.h"

namespace mxe::guest {

/// Queries Linux's tasks when the engine has stalled, at the timeout, and when no event can wake
/// Linux. Uses the management console: a socket whose commands the kernel executes in an interrupt,
/// regardless of its tasks. The kernel's log contains the tasks.
class Inspector {
 public:
  Inspector(uml::Machine& machine, Console& console, const Session& session);

  /// The last result: tasks with stacks and registers, or a line that there was no response.
  const std::string& report() const { return report_; }

 private:
  bool ask();
  bool send_commands();
  bool take_replies();
  bool give_up();
  void answered();

  uml::Machine& machine_;
  Console& console_;
  std::string socket_path_;
  uml::FileDescriptor control_, timer_;
  int answer_count_ = 0;
  std::string report_;
};

}  // namespace mxe::guest
