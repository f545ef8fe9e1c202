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

#include "model/platform/memory.h"

namespace mxe {

/// The processor side of a platform: runs an ordinary blocking C++ program in simulated time. The
/// program reaches the engine's registers over TLM, waits for its interrupt, and sees the memory
/// directly. The C driver runs on it through driver_port.h.
class Host : public sc_core::sc_module {
 public:
  using Program = std::function<void(Host&)>;

  tlm_utils::simple_initiator_socket<Host> regs{"regs"};
  sc_core::sc_in<bool> irq{"irq"};

  /// Allocates behind the first `reserved` bytes of the memory.
  Host(const sc_core::sc_module_name& name, Memory& memory, std::size_t reserved = 0);

  // --- For the program (inside the simulation) ---

  /// One register access; returns false if the bus answered with an error (a read then gives 0).
  bool try_read(uint32_t offset, uint32_t& value);
  bool try_write(uint32_t offset, uint32_t value);
  /// The same, but throws mx::Error on a bus error.
  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);

  /// Waits until the interrupt is high, at most `timeout`. Returns whether it is.
  bool wait_irq(const sc_core::sc_time& timeout);
  /// Lets `cycles` clock cycles pass.
  void wait_cycles(uint64_t cycles);

  Memory& memory() { return memory_; }

  /// Allocates `bytes` bytes of the memory, at a multiple of `alignment` (any number, at least 1).
  /// Throws mx::Error when the memory is full.
  uint64_t allocate(std::size_t bytes, std::size_t alignment = 128);
  /// release(mark) frees everything that was allocated since `mark` was taken.
  uint64_t allocation_mark() const { return next_; }
  void release(uint64_t mark) { next_ = mark; }

  // --- For the engine (see EngineModule::set_horizon) ---

  uint64_t next_access_cycle() const;

  // --- For run_hosts (outside) ---

  void start(Program program);
  bool finished() const { return !program_; }
  /// Rethrows what ended the last program, if it was an exception.
  void rethrow() const;

 private:
  void thread();
  bool transport(tlm::tlm_command command, uint32_t offset, uint32_t& value);

  Memory& memory_;
  uint64_t next_;
  uint64_t sleeps_until_ = 0;  // cycle in which a waiting program goes on
  Program program_;
  std::exception_ptr error_;
  sc_core::sc_event start_event_;
};

/// Runs the simulation until the programs of all `hosts` have finished. Rethrows exceptions of the
/// programs and of the simulation; throws mx::Error if the simulation runs out of events while a
/// program still waits. May be called again afterwards with new programs.
void run_hosts(const std::vector<Host*>& hosts);

}  // namespace mxe
