// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/machine.h"
#include "sw/guest/console.h"
#include "sw/guest/session.h"

namespace mxe::guest {

/// Asks Linux for its tasks when the machine has stalled: by the kernel's management console, a
/// socket whose commands the kernel carries out in an interrupt, whatever its tasks do. The tasks
/// arrive in the kernel's log.
class Inspector {
 public:
  /// All must outlive this object.
  Inspector(uml::Machine& machine, Console& console, const Session& session);

  /// The last answer: tasks with their stacks and registers; or a line that there was none.
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
