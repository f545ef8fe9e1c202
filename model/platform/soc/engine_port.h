// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

#include "model/platform/soc/local_time.h"
#include "model/platform/soc/register_device.h"

namespace mxe::soc {

class EnginePort : public sc_core::sc_module, public RegisterDevice {
 public:
  tlm_utils::simple_initiator_socket<EnginePort> regs{"regs"};

  EnginePort(const sc_core::sc_module_name& name, LocalTime& time) : sc_module(name), time_(time) {}

  bool read(uint32_t offset, uint32_t& value) override;
  bool write(uint32_t offset, uint32_t value) override;

 private:
  bool transport(tlm::tlm_command command, uint32_t offset, uint32_t& value);

  LocalTime& time_;
  tlm::tlm_generic_payload payload_;
};

}  // namespace mxe::soc
