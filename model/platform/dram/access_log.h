// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/files/files.h"
#include "model/platform/dram/clock.h"
#include "model/platform/dram/port_timing.h"

namespace mxe::dram {

/// Trace formats of other DRAM simulators.
enum class LogFormat : uint8_t { dramsim3, ramulator, dramsys };

/// "dramsim3", "ramulator", "dramsys".
const std::vector<std::string>& log_format_names();
/// Throws Error with the allowed names.
LogFormat parse_log_format(const std::string& name);

/// Writes the accesses of a DRAM as a trace that another simulator reads, one line each, in the
/// order of the bursts. A burst is split into whole accesses: 100 bytes at 32 on a DRAM with
/// accesses of 64 bytes are the accesses 0, 64 and 128. Examples of a write at 0x40 in cycle 101
/// of a clock of 800 MHz, with a tCK of 625 ps:
///
///   dramsim3    0x40 WRITE 202     in tCK, rounded up
///   ramulator   ST 0x40            without time
///   dramsys     101: (64) write 0x40    in cycles of the engine's clock (clkMhz: 800)
class AccessLog {
 public:
  /// Throws Error if `path` cannot be written.
  AccessLog(const std::string& path, LogFormat format, const Setup& setup);

  void add(uint64_t cycle, uint64_t address, uint64_t bytes, bool is_write);
  /// Completes the file. Throws Error if a part could not be written.
  void close() { file_.close(); }

 private:
  void add_access(uint64_t cycle, uint64_t address, bool is_write);

  LogFormat format_;
  Clock engine_, dram_;
  uint64_t access_bytes_;
  numerics::OutputFile file_;
};

}  // namespace mxe::dram
