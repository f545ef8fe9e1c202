// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "model/platform/engine_module.h"
#include "model/platform/host.h"
#include "model/platform/interconnect.h"
#include "model/platform/memory.h"

namespace mxe::platform {

/// Several engines and hosts with one memory; each host has an equal part.
class SharedPlatform : public sc_core::sc_module {
 public:
  /// Creates an engine; called in the constructor. All engines must have the same port width.
  using EngineFactory = std::function<std::unique_ptr<EngineModule>(unsigned index)>;

  /// `memory.timing` applies to all engines together. `memory.beat_bytes` is set to the port width
  /// of the engines. `multicast`: see Interconnect.
  SharedPlatform(const sc_core::sc_module_name& name, const Memory::Config& memory,
                 unsigned engines, const EngineFactory& make_engine, bool multicast = false);

  unsigned engines() const { return static_cast<unsigned>(seats_.size()); }
  Host& host(unsigned index) { return *seats_[index]->host; }
  Memory& memory() { return *memory_; }
  std::size_t part_bytes() const { return part_bytes_; }
  /// First byte of the common part, which exists with multicast and belongs to no host.
  uint64_t common_address() const { return memory_->base() + seats_.size() * part_bytes_; }
  const Interconnect& interconnect() const { return *interconnect_; }

 private:
  struct Seat {
    std::unique_ptr<EngineModule> engine;
    std::unique_ptr<Host> host;
    sc_core::sc_signal<bool> irq;
  };

  std::vector<std::unique_ptr<Seat>> seats_;
  std::unique_ptr<Memory> memory_;
  std::size_t part_bytes_ = 0;
  std::unique_ptr<Interconnect> interconnect_;
};

}  // namespace mxe::platform
