// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/platform/dram/address_map.h"

namespace mxe::dram {

enum class Command : uint8_t {
  activate,
  precharge,
  precharge_all,  ///< all banks of a rank
  read,
  write,
  refresh,       ///< all banks of a rank
  refresh_bank,  ///< one bank
};
constexpr unsigned kCommands = 7;

constexpr bool is_column(Command command) {
  return command == Command::read || command == Command::write;
}

constexpr bool is_refresh(Command command) {
  return command == Command::refresh || command == Command::refresh_bank;
}

struct CommandRecord {
  uint64_t cycle = 0;
  Command command = Command::activate;
  Location at;
  bool auto_precharge = false;  ///< of a read or write: its row closes as soon as allowed
};

/// Counts of one memory.
struct Statistics {
  uint64_t commands[kCommands] = {};
  uint64_t row_hits = 0;       ///< accesses to an open row
  uint64_t row_misses = 0;     ///< accesses to a closed bank
  uint64_t row_conflicts = 0;  ///< accesses to a bank with another open row
  uint64_t turnarounds = 0;    ///< changes of the data bus between reads and writes
  uint64_t forwarded = 0;      ///< reads served by a queued write
  uint64_t coalesced = 0;      ///< writes merged with a queued write
  uint64_t merged = 0;         ///< reads merged with a queued read
  uint64_t open_cycles = 0;    ///< cycles of ranks with an open bank
  uint64_t cycles = 0;         ///< cycles of all ranks

  uint64_t of(Command command) const { return commands[static_cast<unsigned>(command)]; }
  void add(const Statistics& other);
};

}  // namespace mxe::dram
