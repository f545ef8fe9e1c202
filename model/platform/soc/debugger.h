// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

enum class Access : uint8_t { write, read, any };

struct Watchpoint {
  Access access = Access::write;
  uint64_t address = 0, bytes = 0;

  bool operator==(const Watchpoint& other) const {
    return access == other.access && address == other.address && bytes == other.bytes;
  }
};

class DebugTarget {
 public:
  static constexpr unsigned kPc = Emulator::kRegisters;  ///< index of the pc, after x0 to x31

  virtual ~DebugTarget() = default;
  virtual Xlen xlen() const = 0;
  virtual uint64_t debug_register(unsigned index) const = 0;
  virtual void set_debug_register(unsigned index, uint64_t value) = 0;
  /// Reads memory; nullopt if some bytes are outside. Does not read devices (side effects).
  virtual std::optional<std::vector<uint8_t>> debug_read(uint64_t address,
                                                         uint64_t bytes) const = 0;
  virtual bool debug_write(uint64_t address, const std::vector<uint8_t>& bytes) = 0;
  virtual void set_breakpoint(uint64_t address) = 0;
  virtual void clear_breakpoint(uint64_t address) = 0;
  /// Returns false unless all bytes are in the memory.
  virtual bool set_watchpoint(const Watchpoint& point) = 0;
  virtual void clear_watchpoint(const Watchpoint& point) = 0;
  virtual std::optional<Watchpoint> watch_hit() const = 0;
};

/// A debugger. Simulated time stops while stopped() runs.
class Debugger {
 public:
  enum class Reason { start, breakpoint, watchpoint, step, interrupt, illegal, bad_address };
  enum class Command { run, step, kill };

  virtual ~Debugger() = default;
  /// Called when the processor stops; returns how to resume.
  virtual Command stopped(DebugTarget& target, Reason reason) = 0;
  /// True if the running processor should stop. Must return at once.
  virtual bool wants_stop() = 0;
  virtual void ended(int exit_code) = 0;
};

}  // namespace mxe::soc
