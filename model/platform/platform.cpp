// SPDX-License-Identifier: Apache-2.0
#include "model/platform/platform.h"

#include <utility>

namespace mxe::platform {
namespace {

Memory::Config with_port_width(Memory::Config config, const Params& params) {
  config.beat_bytes = params.mem_bytes();
  return config;
}

}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, const Memory::Config& memory,
                   const EngineFactory& make_engine)
    : sc_module(name), engine_(make_engine()) {
  memory_ = std::make_unique<Memory>("memory", with_port_width(memory, engine_->params()));
  host_ = std::make_unique<Host>("host", *memory_);
  engine_->mem.bind(memory_->socket);
  engine_->irq.bind(irq_);
  host_->regs.bind(engine_->regs);
  host_->irq.bind(irq_);
  engine_->set_horizon([this] { return host_->next_access_cycle(); });
}

void Platform::run(Host::Program program) {
  host_->start(std::move(program));
  run_hosts({host_.get()});
}

}  // namespace mxe::platform
