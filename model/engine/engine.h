#pragma once

#include "engine/core.h"
#include "platform/engine_module.h"
#include "platform/memory.h"

namespace mxe {

/// How the model is run.
struct EngineOptions {
  Mode mode = Mode::functional;
  PortLimits ports;
};

/// The model of the engine: results bit by bit and cycles of the RTL, from the blocks of core.h. It
/// stands on the platform as the RTL does; register accesses and the interrupt take as long as
/// through the RTL's pins.
class Engine : public EngineModule, private MemoryPort {
 public:
  Engine(const sc_core::sc_module_name& name, const Params& params,
         const EngineOptions& options = {});
  ~Engine() override;

 private:
  bool transfer_register(RegisterTransfer& transfer) override;
  Response read(uint64_t cycle, uint64_t address, std::size_t bytes, uint8_t* data) override;
  Response write(uint64_t cycle, uint64_t address, std::size_t bytes, const uint8_t* data,
                 const uint8_t* enables) override;
  Response transport(tlm::tlm_command command, uint64_t cycle, uint64_t address, std::size_t bytes,
                     uint8_t* data, const uint8_t* enables);

  void thread();
  void run_core();

  Core core_;
  sc_core::sc_event wake_event_, free_event_;
  bool register_busy_ = false;
  bool core_waits_ = false;  // for a register access to be carried out in its turn
  tlm::tlm_generic_payload payload_;
  BurstExtension burst_;
};

}  // namespace mxe
