// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "model/engine/memory/memory_timing.h"
#include "model/platform/dram/port_timing.h"
#include "model/platform/engine_module.h"
#include "model/platform/pci/pci_function.h"
#include "model/platform/uml/connection.h"
#include "model/platform/uml/guest_memory.h"
#include "model/platform/uml/pci_commands.h"
#include "model/platform/uml/time_keeper.h"
#include "model/platform/uml/vhost_device.h"

namespace mxe::uml {

struct MachineOptions {
  std::string device_socket;
  std::string time_socket;  ///< socket of the clock; empty: Linux has its own clock
  engine::MemoryTiming timing;
  std::optional<dram::Setup> dram = {};  ///< replaces `timing`
  pci::Ids ids;
  uint64_t timeout_us = 0;  ///< on Linux's clock; 0: unlimited
  /// Time on Linux's clock without a burst or interrupt until Linux's tasks are queried; 0: never.
  uint64_t stall_us = 0;
  uint64_t remove_us = 0;  ///< simulated time of the function's removal; 0: never
  bool real_time = false;  ///< simulated time does not run faster than the wall clock
};

struct MachineOutcome {
  std::optional<std::string> fault;  ///< one line; empty after stop()
  /// State of the engine, several lines, if check() ended the run.
  std::string engine;
  uint64_t nanoseconds = 0;  ///< simulated, without register accesses
  uint64_t register_accesses = 0;
  uint64_t bursts = 0;
  uint64_t messages = 0;  ///< interrupts
  /// Simulation time of the first message, in nanoseconds.
  std::optional<uint64_t> first_message;
};

/// An engine as a PCI function of a User-mode Linux, another process, connected by sockets. With a
/// shared clock, simulated time stops while Linux computes; while it waits, the simulation runs up
/// to the requested time or interrupt. Register accesses take engine cycles that are left out of
/// Linux's clock, so that the simulation does not run ahead of Linux.
class Machine : public sc_core::sc_module, private PciTarget {
 public:
  using EngineFactory = std::function<std::unique_ptr<platform::EngineModule>()>;

  Machine(const sc_core::sc_module_name& name, const MachineOptions& options,
          const EngineFactory& make_engine);

  /// Calls `ready` whenever poll(2) reports one of `events` for `file`, or its peer has closed,
  /// until it returns false. `wakes`: it may call wake(), so Linux can still be woken.
  void watch(int file, short events, std::function<bool()> ready, bool wakes = false);
  /// May be called in any callback.
  void unwatch(int file);
  /// If Linux waits on the shared clock: makes it check files outside the simulation, its consoles.
  void wake();
  /// `ask` is called when the engine has stalled, at the timeout, and when no event can wake Linux.
  /// It queries Linux's tasks and calls inspected() with the result. It returns false if Linux
  /// cannot be queried.
  void inspect_with(std::function<bool()> ask) { ask_ = std::move(ask); }
  /// Result of the query. `stuck` is a line about a task that waits for the engine. It becomes the
  /// fault of the run, unless the timeout or an endless sleep is the fault; without either, the run
  /// continues.
  void inspected(std::optional<std::string> stuck);
  void stop() { stopped_ = true; }

  /// Runs until stop() or a fault: protocol error, hang, timeout, endless wait. Call once.
  MachineOutcome run();

 private:
  struct Watch {
    int file;
    short events;
    std::function<bool()> ready;
    bool wakes;
  };

  void read_config(uint64_t offset, std::size_t bytes, uint8_t* data) override;
  void write_config(uint64_t offset, std::size_t bytes, const uint8_t* data) override;
  void read_bar0(uint64_t offset, std::size_t bytes, uint8_t* data) override;
  void write_bar0(uint64_t offset, std::size_t bytes, const uint8_t* data) override;

  void run_thread();
  void remove_thread();
  void run_shared_time();
  void run_own_time();
  void pass_time();
  void go_on();
  void permit();
  void catch_up();
  bool engine_works();

  void add_watches(std::vector<pollfd>& ends) const;
  bool serve(int milliseconds);
  void serve_device();
  void serve_time();
  void serve_watches(const std::vector<pollfd>& ends, std::size_t first);
  void kicked(uint32_t queue);
  void carry_out_commands();

  void deliver_message();
  void call(uint32_t queue);
  void await_answer();

  bool shares_time() const { return time_listener_.has_value(); }
  uint64_t now() const;
  uint64_t linux_now() const;
  uint64_t next_check() const;
  uint64_t until_check() const;
  void check();
  void inspect(std::optional<std::string> fault);
  uint64_t next_surprise() const;
  uint64_t wall_nanoseconds() const;
  std::string describe_engine();
  void fail(std::string fault);
  bool over() const { return stopped_ || fault_; }

  MachineOptions options_;
  platform::Clock clock_;
  std::unique_ptr<platform::EngineModule> engine_;
  pci::PciFunction function_;
  GuestMemory memory_;
  sc_core::sc_signal<bool> irq_{"irq_line"};
  PciCommands commands_;
  VhostDevice device_;
  TimeKeeper time_;
  Listener device_listener_;
  std::optional<Listener> time_listener_;
  FileDescriptor device_socket_, time_socket_;
  std::vector<Watch> watches_;

  std::optional<pci::Message> message_;
  std::optional<uint64_t> first_message_, last_message_;
  bool no_room_ = false;
  uint32_t unclaimed_ = 0;  // buffers not reclaimed by Linux
  sc_core::sc_event message_event_, starved_event_;
  uint64_t skipped_ = 0;            // register access cycles, left out of Linux's clock
  std::optional<uint64_t> frozen_;  // Linux's clock during a register access
  uint64_t wall_start_ = 0;
  std::function<bool()> ask_;
  bool inspecting_ = false, asleep_ = false;
  bool fault_is_checks_ = false;
  std::optional<std::string> final_fault_;  // set during an inspection: the run ends after it
  uint64_t progress_ = 0;                   // bursts and interrupts
  uint64_t progress_ns_ = 0;                // time of progress_ on Linux's clock
  uint64_t stall_check_ns_ = TimeKeeper::kNever;
  bool stopped_ = false, device_gone_ = false;
  std::optional<std::string> fault_;
  std::string engine_text_;
};

}  // namespace mxe::uml
