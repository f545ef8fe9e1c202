// SPDX-License-Identifier: Apache-2.0
#include "model/platform/platform.h"

#include <utility>

namespace mxe::platform {
namespace {

/// The memory of an engine with these parameters; without the times of a separate DRAM.
Memory::Config memory_of(Memory::Config config, const Params& params) {
  config.beat_bytes = params.mem_bytes();
  if (Platform::memory_calls(config.dram) == MemoryCalls::non_blocking) {
    config.dram.reset();
    config.direct_access = false;
  }
  return config;
}

}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, const Memory::Config& memory,
                   const EngineFactory& make_engine)
    : sc_module(name), engine_(make_engine()) {
  memory_ = std::make_unique<Memory>("memory", memory_of(memory, engine_->params()));
  host_ = std::make_unique<Host>("host", *memory_);
  if (memory_calls(memory.dram) == MemoryCalls::non_blocking) {
    dram_ = std::make_unique<DramMemory>("dram", *memory.dram, memory.base, memory.accesses);
    engine_->mem.bind(dram_->in);
    dram_->out.bind(memory_->socket);
  } else {
    engine_->mem.bind(memory_->socket);
  }
  engine_->irq.bind(irq_);
  host_->regs.bind(engine_->regs);
  host_->irq.bind(irq_);
  engine_->set_horizon([this] { return host_->next_access_cycle(); });
}

MemoryCalls Platform::memory_calls(const std::optional<dram::Setup>& dram) {
  return dram && dram->answers_late() ? MemoryCalls::non_blocking : MemoryCalls::one_blocking;
}

void Platform::run(Host::Program program) {
  host_->start(std::move(program));
  run_hosts({host_.get()});
}

}  // namespace mxe::platform
