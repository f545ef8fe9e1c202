// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "model/platform/clock.h"
#include "model/platform/memory.h"

namespace mxe::platform {

/// The processor of a platform: runs a blocking C++ program in simulated time, with register
/// accesses over TLM, interrupt and direct memory access. For the C driver see driver_port.h.
class Host : public sc_core::sc_module {
 public:
  using Program = std::function<void(Host&)>;

  tlm_utils::simple_initiator_socket<Host> regs{"regs"};
  sc_core::sc_in<bool> irq{"irq"};

  /// Allocations start after the first `reserved` bytes of the memory.
  Host(const sc_core::sc_module_name& name, Memory& memory, std::size_t reserved = 0);

  // --- For the program, inside the simulation ---

  /// Accesses a register; returns false for a bus error (a read then returns 0).
  bool try_read(uint32_t offset, uint32_t& value);
  bool try_write(uint32_t offset, uint32_t value);
  /// Throw Error on a bus error.
  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);

  /// Waits until the interrupt is high, at most `timeout`. Returns its level.
  bool wait_irq(const sc_core::sc_time& timeout);
  bool wait_irq_cycles(uint64_t timeout) { return wait_irq(cycles_to_time(timeout)); }
  void wait_cycles(uint64_t cycles);
  uint64_t cycle() const { return current_cycle(); }

  Memory& memory() { return memory_; }

  /// Returns a multiple of `alignment` (>= 1). Throws Error if memory is full.
  uint64_t allocate(std::size_t bytes, std::size_t alignment = 128);
  /// release(mark) frees all allocations made since allocation_mark() returned `mark`.
  uint64_t allocation_mark() const { return next_; }
  void release(uint64_t mark) { next_ = mark; }

  // --- For the engine: EngineModule::set_horizon ---

  uint64_t next_access_cycle() const;

  // --- For run_hosts, outside the simulation ---

  void start(Program program);
  bool finished() const { return !program_; }
  /// Rethrows the exception that ended the last program, if any.
  void rethrow() const;

 private:
  void thread();
  bool transport(tlm::tlm_command command, uint32_t offset, uint32_t& value);

  Memory& memory_;
  uint64_t next_;
  uint64_t sleeps_until_ = 0;  // cycle in which a waiting program resumes at the latest; else 0
  Program program_;
  std::exception_ptr error_;
  sc_core::sc_event start_event_;
};

/// Runs the simulation until all programs have ended; call again for new ones. Rethrows exceptions
/// of programs and simulation; throws Error if no event is left while a program waits.
void run_hosts(const std::vector<Host*>& hosts);

}  // namespace mxe::platform
