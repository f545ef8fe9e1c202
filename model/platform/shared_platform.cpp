// SPDX-License-Identifier: Apache-2.0
#include "model/platform/shared_platform.h"

#include <string>

namespace mxe::platform {

SharedPlatform::SharedPlatform(const sc_core::sc_module_name& name, const Memory::Config& memory,
                               unsigned engines, const EngineFactory& make_engine, bool multicast)
    : sc_module(name) {
  for (unsigned i = 0; i < engines; i++) {
    seats_.push_back(std::make_unique<Seat>());
    seats_[i]->engine = make_engine(i);
  }
  Memory::Config config = memory;
  config.beat_bytes = seats_[0]->engine->params().mem_bytes();
  memory_ = std::make_unique<Memory>("memory", config);
  constexpr std::size_t kPage = 4096;
  part_bytes_ = memory_->size() / (engines + (multicast ? 1 : 0)) / kPage * kPage;
  interconnect_ = std::make_unique<Interconnect>("interconnect", config.timing, engines,
                                                 config.beat_bytes, multicast);
  interconnect_->out.bind(memory_->socket);
  for (unsigned i = 0; i < engines; i++) {
    Seat& seat = *seats_[i];
    const std::string host = "host_" + std::to_string(i);
    seat.host = std::make_unique<Host>(host.c_str(), *memory_, i * part_bytes());
    seat.engine->mem.bind(interconnect_->in[i]);
    seat.engine->irq.bind(seat.irq);
    seat.host->regs.bind(seat.engine->regs);
    seat.host->irq.bind(seat.irq);
    seat.engine->set_horizon([&seat] { return seat.host->next_access_cycle(); });
  }
}

}  // namespace mxe::platform
