// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/engine_port.h"

#include "model/platform/clock.h"

namespace mxe::soc {

bool EnginePort::read(uint32_t offset, uint32_t& value) {
  return transport(tlm::TLM_READ_COMMAND, offset, value);
}

bool EnginePort::write(uint32_t offset, uint32_t value) {
  return transport(tlm::TLM_WRITE_COMMAND, offset, value);
}

/// Passes the processor's lead as the access delay; the engine waits for it only if necessary.
bool EnginePort::transport(tlm::tlm_command command, uint32_t offset, uint32_t& value) {
  payload_.set_command(command);
  payload_.set_address(offset);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(sizeof value);
  payload_.set_streaming_width(sizeof value);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  time_.spend([this] {
    sc_core::sc_time delay = platform::cycles_to_time(time_.ahead());
    regs->b_transport(payload_, delay);
    return platform::Clock().to_cycles_up(delay);
  });
  time_.settle();
  return payload_.is_response_ok();
}

}  // namespace mxe::soc
