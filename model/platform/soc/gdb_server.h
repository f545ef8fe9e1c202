// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/platform/soc/debugger.h"
#include "model/platform/soc/gdb_connection.h"

namespace mxe::soc {

/// Target side of gdb's remote protocol. One connection; after it the processor runs freely.
class GdbServer : public Debugger {
 public:
  /// Throws Error if the port is not available.
  explicit GdbServer(uint16_t port) : connection_(port) {}

  uint16_t port() const { return connection_.port(); }

  Command stopped(DebugTarget& target, Reason reason) override;
  bool wants_stop() override;
  void ended(int exit_code) override;

 private:
  std::optional<Command> handle(const std::string& packet, DebugTarget& target);

  GdbConnection connection_;
  bool detached_ = false;
  std::string last_stop_;
};

}  // namespace mxe::soc
