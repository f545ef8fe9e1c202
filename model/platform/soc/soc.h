// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <systemc>
#include <vector>

#include "model/engine/memory/memory_timing.h"
#include "model/platform/dram/port_timing.h"
#include "model/platform/engine_module.h"
#include "model/platform/memory.h"
#include "model/platform/soc/bus.h"
#include "model/platform/soc/cpu.h"
#include "model/platform/soc/debugger.h"
#include "model/platform/soc/engine_port.h"
#include "model/platform/soc/exit_register.h"
#include "model/platform/soc/interrupt_controller.h"
#include "model/platform/soc/local_time.h"
#include "model/platform/soc/outcome.h"
#include "model/platform/soc/program.h"
#include "model/platform/soc/timer.h"
#include "model/platform/soc/uart.h"

namespace mxe::soc {

struct SocOptions {
  engine::MemoryTiming timing;
  std::optional<dram::Setup> dram = {};  ///< replaces `timing`
  uint64_t quantum = 10'000;             ///< see LocalTime
  uint64_t timeout_us = 0;               ///< simulated time; 0: unlimited
  std::vector<std::string> arguments;
  Debugger* debugger = nullptr;  ///< must outlive the platform; may be null
};

/// The virtual platform for firmware: RISC-V processor, engine, memory, and the devices of soc.rdl.
class Soc : public sc_core::sc_module {
 public:
  /// Creates the engine; called in the constructor, so that the engine becomes a child.
  using EngineFactory = std::function<std::unique_ptr<platform::EngineModule>()>;

  /// `program` and the UART's streams must outlive the platform.
  Soc(const sc_core::sc_module_name& name, const Program& program, const SocOptions& options,
      const EngineFactory& make_engine, std::istream& in, std::ostream& out);

  static AddressRange program_memory();

  /// Runs the program to its end. Call it once.
  Outcome run();

 private:
  void attach_devices();
  void wire();
  void watch_engine_irq();
  void load(const Program& program, const std::vector<std::string>& arguments);
  void end_printing();
  void simulate();
  std::string describe_timeout() const;

  uint64_t timeout_us_;
  Debugger* debugger_;
  LocalTime time_;
  uint64_t line_high_since_ = 0;  // last change of the processor's interrupt line
  Bus bus_{time_};
  std::unique_ptr<platform::EngineModule> engine_;
  std::unique_ptr<platform::Memory> memory_;
  std::unique_ptr<Cpu> cpu_;
  InterruptController interrupts_;
  EnginePort engine_port_;
  Uart uart_;
  Timer timer_;
  ExitRegister exit_;
  sc_core::sc_signal<bool> engine_irq_{"engine_irq"};
};

}  // namespace mxe::soc
