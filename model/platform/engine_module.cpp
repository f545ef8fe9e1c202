// SPDX-License-Identifier: Apache-2.0
#include "model/platform/engine_module.h"

#include <algorithm>
#include <cstring>

#include "model/platform/clock.h"

namespace mxe {
namespace {

constexpr uint64_t kWindowBytes = 4096;
// Chains of signals and events at one instant are shorter than this.
constexpr int kMaxDeltas = 8;

uint8_t strobe_of(const tlm::tlm_generic_payload& payload) {
  const uint8_t* enables = payload.get_byte_enable_ptr();
  if (!enables) return 0xF;
  unsigned strobe = 0;
  for (unsigned i = 0; i < 4; i++) {
    if (enables[i % payload.get_byte_enable_length()]) strobe |= 1u << i;
  }
  return static_cast<uint8_t>(strobe);
}

/// Whole cycles in `time`, rounded up.
uint64_t cycles_up(const sc_core::sc_time& time) {
  const uint64_t cycles = time_to_cycles(time);
  return cycles_to_time(cycles) < time ? cycles + 1 : cycles;
}

}  // namespace

void yield_to_others() {
  for (int i = 0; i < kMaxDeltas && sc_core::sc_pending_activity_at_current_time(); i++) {
    sc_core::wait(sc_core::SC_ZERO_TIME);
  }
}

EngineModule::EngineModule(const sc_core::sc_module_name& name, const Params& params)
    : sc_module(name), params_(params) {
  params_.validate();
  regs.register_b_transport(this, &EngineModule::transport);
  regs.register_transport_dbg(this, &EngineModule::debug_transport);
  mem.register_invalidate_direct_mem_ptr(this, &EngineModule::end_direct_access);
}

uint64_t EngineModule::horizon() const { return horizon_ ? horizon_() : next_activity(); }

uint64_t EngineModule::next_activity() {
  return time_to_cycles(sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity());
}

BeatTimes EngineModule::times_of(const tlm::tlm_generic_payload& payload,
                                 const BurstExtension& burst, uint64_t cycle,
                                 const sc_core::sc_time& delay) {
  if (burst.timed) return burst.times;
  const uint64_t last = current_cycle() + cycles_up(delay);
  const uint64_t before = payload.get_data_length() / burst.beat_bytes - 1;
  uint64_t first = last - std::min(last, before);
  if (payload.is_read()) first = std::max({first, cycle + 1, current_cycle()});
  return {first << BeatTimes::kFraction, uint64_t{1} << BeatTimes::kFraction};
}

void EngineModule::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || payload.get_data_length() != 4) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.get_byte_enable_ptr() && payload.get_byte_enable_length() == 0) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (payload.get_address() >= kWindowBytes) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  RegisterTransfer transfer;
  transfer.write = payload.is_write();
  transfer.address = static_cast<uint32_t>(payload.get_address());
  if (transfer.write) {
    std::memcpy(&transfer.data, payload.get_data_ptr(), 4);
    transfer.strobe = strobe_of(payload);
  }
  const bool ok = transfer_register(transfer);
  if (!transfer.write) std::memcpy(payload.get_data_ptr(), &transfer.data, 4);
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
}

/// Reads whole registers; debuggers do not write them.
unsigned EngineModule::debug_transport(tlm::tlm_generic_payload& payload) {
  const uint64_t address = payload.get_address();
  if (!payload.is_read() || address % 4 != 0) return 0;
  unsigned done = 0;
  uint32_t value = 0;
  while (done + 4 <= payload.get_data_length() && address + done < kWindowBytes &&
         peek_register(static_cast<uint32_t>(address) + done, value)) {
    std::memcpy(payload.get_data_ptr() + done, &value, 4);
    done += 4;
  }
  return done;
}

}  // namespace mxe
