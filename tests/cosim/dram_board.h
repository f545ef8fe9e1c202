// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "model/platform/device/driver_session.h"
#include "model/platform/dram_memory.h"
#include "model/platform/engine_module.h"
#include "model/platform/host.h"
#include "model/platform/memory.h"

namespace mxe::test {

/// An engine with a DRAM, and a host that runs jobs.
class DramBoard : public sc_core::sc_module {
 public:
  using EngineFactory = std::function<std::unique_ptr<platform::EngineModule>()>;

  DramBoard(const sc_core::sc_module_name& name, const dram::Config& config,
            const EngineFactory& make_engine, dram::Mode mode = dram::Mode::fr_fcfs)
      : sc_module(name), engine_(make_engine()), dram("dram", config, mode) {
    engine_->mem.bind(dram.in);
    dram.out.bind(memory.socket);
    engine_->irq.bind(irq_);
    host.regs.bind(engine_->regs);
    host.irq.bind(irq_);
  }

  /// `job`: a job::Job or a job::JobShape.
  template <class AnyJob>
  device::DeviceResult run(const AnyJob& job) {
    start(std::vector<AnyJob>{job});
    platform::run_hosts({&host});
    return results.back();
  }
  /// Runs these jobs in platform::run_hosts().
  template <class AnyJob>
  void start(const std::vector<AnyJob>& jobs) {
    host.start([this, jobs](platform::Host& here) {
      for (const AnyJob& job : jobs) results.push_back(session_.run(here, job));
    });
  }

  std::vector<device::DeviceResult> results;

 private:
  std::unique_ptr<platform::EngineModule> engine_;
  sc_core::sc_signal<bool> irq_{"irq_signal"};
  device::DriverSession session_;

 public:
  platform::Memory memory{"memory", platform::Memory::Config{}};
  platform::DramMemory dram;
  platform::Host host{"host", memory};
};

}  // namespace mxe::test
