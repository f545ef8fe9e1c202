// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/gdb_server.h"

#include <fmt/format.h>

#include "model/platform/soc/gdb_protocol.h"

namespace mxe::soc {

Debugger::Command GdbServer::stopped(DebugTarget& target, Reason reason) {
  if (detached_) return Command::run;
  last_stop_ = gdb_stop(target, reason);
  if (reason == Reason::start) {
    connection_.accept();
  } else {
    connection_.send(last_stop_);
  }
  while (const auto item = connection_.receive()) {
    if (item->kind == GdbPackets::Kind::interrupt) continue;  // the processor has already stopped
    if (const auto command = handle(item->text, target)) return *command;
  }
  detached_ = true;
  return Command::run;
}

/// True for Ctrl-C in gdb; other packets while the processor runs are dropped.
bool GdbServer::wants_stop() {
  while (!detached_) {
    const auto item = connection_.poll();
    if (!connection_.connected()) detached_ = true;
    if (!item) return false;
    if (item->kind == GdbPackets::Kind::interrupt) return true;
  }
  return false;
}

void GdbServer::ended(int exit_code) {
  if (!detached_ && connection_.connected()) connection_.send(fmt::format("W{:02x}", exit_code));
}

std::optional<Debugger::Command> GdbServer::handle(const std::string& packet, DebugTarget& target) {
  switch (packet.empty() ? '\0' : packet[0]) {
    case 'c':
    case 'C':  // with a signal, which is ignored
      return Command::run;
    case 's':
    case 'S':
      return Command::step;
    case 'k':
      detached_ = true;
      return Command::kill;
    case 'D':
      connection_.send("OK");
      connection_.close();
      detached_ = true;
      return Command::run;
    default:
      connection_.send(gdb_answer(packet, last_stop_, target));
      return std::nullopt;
  }
}

}  // namespace mxe::soc
