// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/soc.h"

#include <fmt/format.h>

#include <cstring>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "model/platform/soc/arguments.h"
#include "soc_map.h"

namespace mxe::soc {
namespace {

constexpr uint64_t kNanosecondsPerMicrosecond = 1000;
static_assert(SOC_ARGUMENTS_BASE == SOC_RAM_BASE + SOC_RAM_SIZE, "one memory holds both");

platform::Memory::Config memory_config(const SocOptions& options, const Params& params) {
  platform::Memory::Config config;
  config.base = SOC_RAM_BASE;
  config.size = SOC_RAM_SIZE + SOC_ARGUMENTS_SIZE;
  config.beat_bytes = params.mem_bytes();
  config.timing = options.timing;
  config.dram = options.dram;
  return config;
}

}  // namespace

Soc::Soc(const sc_core::sc_module_name& name, const Program& program, const SocOptions& options,
         const EngineFactory& make_engine, std::istream& in, std::ostream& out)
    : sc_module(name),
      timeout_us_(options.timeout_us),
      debugger_(options.debugger),
      time_(options.quantum),
      engine_(make_engine()),
      memory_(
          std::make_unique<platform::Memory>("memory", memory_config(options, engine_->params()))),
      cpu_(std::make_unique<Cpu>("cpu", program, *memory_, bus_, time_)),
      interrupts_([this](bool level) {
        line_high_since_ = time_.now();
        cpu_->set_interrupt(level);
      }),
      engine_port_("engine_port", time_),
      uart_(in, out, [this] { end_printing(); }),
      timer_("timer", time_,
             [this](bool level) { interrupts_.set_pending(SOC_INTERRUPTS_PENDING_TIMER, level); }),
      exit_([this](int code) { cpu_->exit(code); }) {
  attach_devices();
  wire();
  load(program, options.arguments);
  if (debugger_) cpu_->set_debugger(*debugger_);
  if (timeout_us_ != 0) time_.set_end(timeout_us_ * kNanosecondsPerMicrosecond);
}

/// Ends a program whose output cannot be written: it might print forever.
void Soc::end_printing() {
  cpu_->fail("its output cannot be written");
  cpu_->exit(0);
}

AddressRange Soc::program_memory() { return {SOC_RAM_BASE, SOC_RAM_SIZE}; }

void Soc::attach_devices() {
  bus_.attach("uart", SOC_UART_BASE, SOC_UART_SIZE, uart_);
  bus_.attach("engine", SOC_ENGINE_BASE, SOC_ENGINE_SIZE, engine_port_);
  bus_.attach("timer", SOC_TIMER_BASE, SOC_TIMER_SIZE, timer_);
  bus_.attach("interrupts", SOC_INTERRUPTS_BASE, SOC_INTERRUPTS_SIZE, interrupts_);
  bus_.attach("exit", SOC_EXIT_BASE, SOC_EXIT_SIZE, exit_);
}

void Soc::wire() {
  engine_port_.regs.bind(engine_->regs);
  engine_->mem.bind(memory_->socket);
  engine_->irq.bind(engine_irq_);
  engine_->set_horizon([this] { return time_.next_access(); });
  watch_engine_irq();
}

void Soc::watch_engine_irq() {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&engine_irq_.value_changed_event());
  options.dont_initialize();
  sc_core::sc_spawn(
      [this] { interrupts_.set_pending(SOC_INTERRUPTS_PENDING_ENGINE, engine_irq_.read()); },
      "watch_engine_irq", &options);
}

void Soc::load(const Program& program, const std::vector<std::string>& arguments) {
  const auto put = [this](uint64_t address, const std::vector<uint8_t>& bytes) {
    std::memcpy(memory_->data(address, bytes.size()), bytes.data(), bytes.size());
  };
  for (const Program::Segment& segment : program.segments) put(segment.address, segment.bytes);
  put(SOC_ARGUMENTS_BASE,
      lay_out_arguments(arguments, program.xlen, SOC_ARGUMENTS_BASE, SOC_ARGUMENTS_SIZE));
  cpu_->set_arguments(arguments.size(), SOC_ARGUMENTS_BASE);
}

void Soc::simulate() {
  try {
    if (timeout_us_ == 0) {
      sc_core::sc_start();
    } else {
      sc_core::sc_start(sc_core::sc_time(static_cast<double>(timeout_us_), sc_core::SC_US),
                        sc_core::SC_EXIT_ON_STARVATION);
    }
  } catch (const sc_core::sc_report& report) {
    throw Error(report.get_msg());
  }
}

/// Adds a hint if the processor's interrupt line has been high for 10 us or more.
std::string Soc::describe_timeout() const {
  constexpr uint64_t kLongestHandler = 10'000;  // nanoseconds
  const std::string text = fmt::format("timeout after {} us of simulated time", timeout_us_);
  const uint64_t end = timeout_us_ * kNanosecondsPerMicrosecond, raised = interrupts_.raised();
  if (raised == 0 || end < line_high_since_ + kLongestHandler) return text;
  return fmt::format(
      "{} (the interrupt line of the {} has been high since {} ns: no handler clears its cause)",
      text, raised & SOC_INTERRUPTS_PENDING_ENGINE ? "engine" : "timer", line_high_since_);
}

Outcome Soc::run() {
  simulate();
  Outcome outcome{cpu_->exit_code(), {}, platform::current_cycle(), bus_.accesses()};
  if (!cpu_->finished()) {
    const bool late = sc_core::sc_pending_activity();  // simulated time is used up
    if (late) outcome.nanoseconds = timeout_us_ * kNanosecondsPerMicrosecond;
    cpu_->fail(late ? describe_timeout() : "deadlock: wfi, and no interrupt can come");
  }
  outcome.fault = cpu_->fault();
  constexpr int kFaultCode = 3;  // exit code of `mxe run` for a fault
  if (debugger_) debugger_->ended(outcome.fault ? kFaultCode : outcome.exit_code);
  return outcome;
}

}  // namespace mxe::soc
