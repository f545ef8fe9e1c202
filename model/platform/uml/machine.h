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

#include "model/engine/memory_timing.h"
#include "model/platform/engine_module.h"
#include "model/platform/pci/pci_function.h"
#include "model/platform/uml/connection.h"
#include "model/platform/uml/guest_memory.h"
#include "model/platform/uml/pci_commands.h"
#include "model/platform/uml/time_keeper.h"
#include "model/platform/uml/vhost_device.h"

namespace mxe::uml {

struct MachineOptions {
  std::string device_socket;  ///< where Linux finds the device
  std::string time_socket;    ///< where Linux finds its clock; empty: it has one of its own
  MemoryTiming timing;        ///< of Linux's memory, as the engine sees it
  pci::Ids ids;
  uint64_t timeout_us = 0;  ///< of Linux's clock; 0: none
  /// Linux's clock may go on so long without a burst or an interrupt of the engine before Linux is
  /// asked whether a task waits for the engine; 0: Linux is not asked.
  uint64_t stall_us = 0;
  uint64_t remove_us = 0;  ///< the function is taken out of its slot then; 0: never
  bool real_time = false;  ///< let simulated time not pass faster than the wall's
};

/// How a run ended.
struct MachineOutcome {
  std::optional<std::string> fault;  ///< one line, unless somebody called stop()
  /// State of the engine, in lines, if the run ended because of what check() found.
  std::string engine;
  uint64_t nanoseconds = 0;  ///< of Linux's clock
  uint64_t register_accesses = 0;
  uint64_t bursts = 0;    ///< of the engine in Linux's memory
  uint64_t messages = 0;  ///< interrupts
  /// When the first of them was sent, in nanoseconds of the simulation, as a recording has them.
  std::optional<uint64_t> first_message;
};

/// An engine as a PCI function of a User-mode Linux, which runs as another process of this host.
/// Linux reaches it through sockets. While Linux computes, simulated time stands still; while it
/// waits, the simulation goes on up to the time that Linux asked for, or to the engine's interrupt.
///
/// Linux spends no time on a register access, and the engine some cycles: they are left out of
/// Linux's clock, lest the simulation run ahead of it.
class Machine : public sc_core::sc_module, private PciTarget {
 public:
  using EngineFactory = std::function<std::unique_ptr<EngineModule>()>;

  Machine(const sc_core::sc_module_name& name, const MachineOptions& options,
          const EngineFactory& make_engine);

  /// Calls `ready` whenever `file` has one of `events` of poll(2), or its other end has gone, until
  /// it returns false. `wakes`: it may call wake(), so Linux does not sleep for ever before that.
  void watch(int file, short events, std::function<bool()> ready, bool wakes = false);
  /// Ends the watch of a file. Any callback may call it.
  void unwatch(int file);
  /// Makes Linux look at files that it reads outside of the simulation, its consoles.
  void wake();
  /// `ask` is called when the engine has stalled and when time is up. It asks Linux for its tasks
  /// and calls inspected() when the answer has arrived. It returns false if Linux cannot be asked.
  void inspect_with(std::function<bool()> ask) { ask_ = std::move(ask); }
  /// The answer has arrived, or will not. `stuck` is a line about a task that waits for the engine;
  /// the run then ends with it as the fault. Without one, the run goes on unless time is up.
  void inspected(std::optional<std::string> stuck);
  /// Ends run(), from whatever is called by it.
  void stop() { stopped_ = true; }

  /// Runs until stop() is called, or Linux breaks a protocol, hangs, takes too long, or waits for
  /// an engine that has nothing to do. Once.
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
  Clock clock_;
  std::unique_ptr<EngineModule> engine_;
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

  std::optional<pci::Message> message_;  // not yet delivered
  std::optional<uint64_t> first_message_, last_message_;
  bool no_room_ = false;    // for it in Linux's queue
  uint32_t unclaimed_ = 0;  // buffers that Linux has not looked at again
  sc_core::sc_event message_event_, starved_event_;
  uint64_t skipped_ = 0;            // cycles of register accesses, left out of Linux's clock
  std::optional<uint64_t> frozen_;  // Linux's clock during such an access
  uint64_t wall_start_ = 0;
  std::function<bool()> ask_;
  bool inspecting_ = false, asleep_ = false;
  bool fault_is_checks_ = false;            // the fault is one that check() found
  std::optional<std::string> final_fault_;  // of the inspection under way: the run ends after it
  uint64_t progress_ = 0;                   // bursts and interrupts of the engine until
  uint64_t progress_ns_ = 0;                // this time of Linux's clock
  uint64_t stall_check_ns_ = TimeKeeper::kNever;
  bool stopped_ = false, device_gone_ = false;
  std::optional<std::string> fault_;
  std::string engine_text_;
};

}  // namespace mxe::uml
