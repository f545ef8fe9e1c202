// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>

#include "model/platform/dram_memory.h"
#include "model/platform/engine_module.h"
#include "model/platform/host.h"
#include "model/platform/memory.h"

namespace mxe::platform {

/// An engine, a memory and a host. A simulation may contain several platforms. A DRAM with the
/// controller dram::Mode::fr_fcfs is a module between engine and memory; the engine must have
/// MemoryCalls::non_blocking.
class Platform : public sc_core::sc_module {
 public:
  /// Creates the engine; called in the constructor, so that the engine becomes a child.
  using EngineFactory = std::function<std::unique_ptr<EngineModule>()>;

  /// `memory.beat_bytes` is set to the width of the engine's port.
  Platform(const sc_core::sc_module_name& name, const Memory::Config& memory,
           const EngineFactory& make_engine);

  EngineModule& engine() { return *engine_; }
  Memory& memory() { return *memory_; }
  Host& host() { return *host_; }

  void run(Host::Program program);
  /// The calls with which an engine reaches this memory.
  static MemoryCalls memory_calls(const std::optional<dram::Setup>& dram);

 private:
  std::unique_ptr<EngineModule> engine_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<DramMemory> dram_;  // null: the memory has the times
  std::unique_ptr<Host> host_;
  sc_core::sc_signal<bool> irq_{"irq_signal"};
};

}  // namespace mxe::platform
