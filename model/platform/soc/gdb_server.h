// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/platform/soc/debugger.h"
#include "model/platform/soc/gdb_connection.h"

namespace mxe::soc {

/// The side of gdb's remote protocol that belongs to the target: registers, memory, breakpoints,
/// watchpoints, steps, interrupts. gdb may come and go once; without it the processor runs.
class GdbServer : public Debugger {
 public:
  /// Throws mx::Error if the port cannot be had.
  explicit GdbServer(uint16_t port) : connection_(port) {}

  uint16_t port() const { return connection_.port(); }

  Command stopped(DebugTarget& target, Reason reason) override;
  bool wants_stop() override;
  void ended(int exit_code) override;

 private:
  /// Answers one packet, or returns the command that it is.
  std::optional<Command> handle(const std::string& packet, DebugTarget& target);

  GdbConnection connection_;
  bool detached_ = false;
  std::string last_stop_;
};

}  // namespace mxe::soc
