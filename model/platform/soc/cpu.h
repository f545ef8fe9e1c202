// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "model/platform/memory.h"
#include "model/platform/soc/bus.h"
#include "model/platform/soc/debugger.h"
#include "model/platform/soc/emulator.h"
#include "model/platform/soc/local_time.h"
#include "model/platform/soc/outcome.h"
#include "model/platform/soc/program.h"

namespace mxe::soc {

/// The processor in simulated time: a 2-byte instruction takes 1 ns, a 4-byte instruction 2 ns, a
/// device access the device's time. Interrupts are checked at each device access and at the first
/// block of instructions after each multiple of kCheckCycles; `wfi` waits for one.
class Cpu : public sc_core::sc_module, private Emulator::Listener, private DebugTarget {
 public:
  static constexpr uint64_t kCheckCycles = 100;

  /// `program` must be in `memory` before the simulation starts. All references must outlive the
  /// processor.
  Cpu(const sc_core::sc_module_name& name, const Program& program, platform::Memory& memory,
      Bus& bus, LocalTime& time);

  void set_arguments(uint64_t argc, uint64_t argv);

  /// `debugger` is called before the first instruction and at each stop, and must outlive the
  /// processor.
  void set_debugger(Debugger& debugger) { debugger_ = &debugger; }
  void set_interrupt(bool level);
  /// Ends the program with this exit code.
  void exit(int code);
  /// Records a fault at the program's current position. The program ends at the next stop of the
  /// emulator.
  void fail(const std::string& what);

  /// True if the program has ended and the simulation has reached that time.
  bool finished() const { return finished_; }
  int exit_code() const { return exit_code_; }
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  /// A watchpoint and its bytes when the debugger resumed the processor.
  struct Watched {
    Watchpoint point;
    std::vector<uint8_t> seen;
  };

  void thread();
  Emulator::Stop step();
  void act_on(Emulator::Stop stop);
  void meet_ebreak(uint64_t pc);
  void consult_debugger();
  void watch_again();
  void look_at_watched();
  bool notice_engine_writes();
  void sleep();
  bool ended() const { return exited_ || fault_; }

  void on_block() override;
  uint32_t on_read(uint64_t address, unsigned bytes) override;
  void on_write(uint64_t address, unsigned bytes, uint32_t value) override;
  void on_unmapped(bool fetch, bool write, uint64_t address, unsigned bytes) override;
  void on_breakpoint() override;

  Xlen xlen() const override { return emulator_.xlen(); }
  uint64_t debug_register(unsigned index) const override;
  void set_debug_register(unsigned index, uint64_t value) override;
  std::optional<std::vector<uint8_t>> debug_read(uint64_t address, uint64_t bytes) const override;
  bool debug_write(uint64_t address, const std::vector<uint8_t>& bytes) override;
  void set_breakpoint(uint64_t address) override { emulator_.add_breakpoint(address); }
  void clear_breakpoint(uint64_t address) override { emulator_.remove_breakpoint(address); }
  bool set_watchpoint(const Watchpoint& point) override;
  void clear_watchpoint(const Watchpoint& point) override;
  std::optional<Watchpoint> watch_hit() const override { return watch_hit_; }

  void count_time();
  void plan_check();
  void access(BusAccess& access);
  void record(const std::string& what, uint64_t pc);
  uint64_t pc_of_access(bool write, uint64_t address) const;
  std::optional<uint32_t> code(uint64_t address, unsigned bytes) const;

  const Program& program_;
  platform::Memory& memory_;
  Bus& bus_;
  LocalTime& time_;
  Emulator emulator_;
  uint64_t counted_ = 0;  // bytes of instructions accounted for
  uint64_t block_begin_ = 0;
  uint64_t paid_ = 0;  // cycles of the block's rest already accounted for
  uint64_t next_check_ = 0;
  bool exited_ = false, finished_ = false, sleeping_ = false;
  bool line_ = false;
  bool interrupted_ = false;  // line_ has risen since the last block
  sc_core::sc_event risen_;
  int exit_code_ = 0;
  std::optional<Fault> fault_;
  Debugger* debugger_ = nullptr;
  Debugger::Command command_ = Debugger::Command::run;
  std::vector<Watched> watched_;
  std::optional<Watchpoint> watch_hit_;
  std::optional<Debugger::Reason> stop_reason_;  // set: call the debugger
};

}  // namespace mxe::soc
