// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <vector>

#include "model/engine/memory_timing.h"
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
  MemoryTiming timing;                 ///< of the memory, as the engine sees it
  uint64_t quantum = 10'000;           ///< see LocalTime
  uint64_t timeout_us = 0;             ///< of simulated time; 0: none
  std::vector<std::string> arguments;  ///< argv
  Debugger* debugger = nullptr;        ///< must live as long as the platform; null for none
};

/// A RISC-V processor, an engine, the memory that both see, and the devices of soc.rdl. It is the
/// virtual platform on which firmware runs, with the model or the RTL as the engine.
class Soc : public sc_core::sc_module {
 public:
  /// Makes the engine; called while the platform is being built, so that it becomes its child.
  using EngineFactory = std::function<std::unique_ptr<EngineModule>()>;

  /// `program` and the streams of the UART must live as long as the platform.
  Soc(const sc_core::sc_module_name& name, const Program& program, const SocOptions& options,
      const EngineFactory& make_engine, std::istream& in, std::ostream& out);

  /// Where a program may lie.
  static AddressRange program_memory();

  /// Runs the program to its end. Once.
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
  uint64_t line_high_since_ = 0;  // the interrupt line to the processor, if it is high
  Bus bus_{time_};
  std::unique_ptr<EngineModule> engine_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Cpu> cpu_;
  InterruptController interrupts_;
  EnginePort engine_port_;
  Uart uart_;
  Timer timer_;
  ExitRegister exit_;
  sc_core::sc_signal<bool> engine_irq_{"engine_irq"};
};

}  // namespace mxe::soc
