// SPDX-License-Identifier: Apache-2.0
#include "model/platform/engine_module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "model/platform/payload.h"

namespace mxe::platform {
namespace {

constexpr uint64_t kWindowBytes = 4096;
constexpr unsigned kRegisterBytes = 4;
// Suppresses SystemC's three lines on stderr before sc_main(), which tests do not expect.
[[maybe_unused]] const int kNoBanner = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

// Upper bound of the delta cycles of signals and events at one time.
constexpr int kMaxDeltas = 8;

uint8_t strobe_of(const tlm::tlm_generic_payload& payload) {
  unsigned strobe = 0;
  for (unsigned i = 0; i < kRegisterBytes; i++) {
    if (is_enabled(payload, i)) strobe |= 1u << i;
  }
  return static_cast<uint8_t>(strobe);
}

/// Disabled bytes keep their values.
void return_value(tlm::tlm_generic_payload& payload, uint32_t value) {
  uint8_t bytes[kRegisterBytes];
  std::memcpy(bytes, &value, sizeof value);
  copy_enabled(payload, bytes);
}

}  // namespace

void yield_to_others() {
  for (int i = 0; i < kMaxDeltas && sc_core::sc_pending_activity_at_current_time(); i++) {
    sc_core::wait(sc_core::SC_ZERO_TIME);
  }
}

EngineModule::EngineModule(const sc_core::sc_module_name& name, const Params& params,
                           const Clock& clock)
    : sc_module(name),
      params_(params),
      clock_(clock),
      memory_port_(mem, clock, params.mem_bytes()) {
  params_.validate();
  clock_.require("an engine with the default clock");
  regs.register_b_transport(this, &EngineModule::transport);
  regs.register_transport_dbg(this, &EngineModule::debug_transport);
  mem.register_invalidate_direct_mem_ptr(this, &EngineModule::end_direct_access);
}

std::unique_ptr<BurstPhases> EngineModule::make_phases(MemoryCalls calls, unsigned payload_bytes,
                                                       std::function<void()> responded) {
  if (calls != MemoryCalls::non_blocking) {
    if (payload_bytes != 0) throw Error("payload_bytes needs MemoryCalls::non_blocking");
    return nullptr;
  }
  auto phases = std::make_unique<BurstPhases>(mem, clock_, params_.mem_bytes(), payload_bytes,
                                              std::move(responded));
  phases_ = phases.get();
  mem.register_nb_transport_bw(this, &EngineModule::memory_phase);
  return phases;
}

tlm::tlm_sync_enum EngineModule::memory_phase(tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  try {
    return phases_->respond(payload, phase, delay);
  } catch (const Error& error) {
    SC_REPORT_ERROR("/mxe/mem", error.what());
    return tlm::TLM_ACCEPTED;
  }
}

void EngineModule::end_of_elaboration() {
  if (reset_n.size() == 0) return;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&reset_n->value_changed_event());
  options.dont_initialize();
  sc_core::sc_spawn([this] { watch_reset(); }, "watch_reset", &options);
}

void EngineModule::watch_reset() {
  if (in_reset()) resets_++;
  reset_changed();
}

uint64_t EngineModule::horizon() const {
  const sc_core::sc_time& quantum = tlm::tlm_global_quantum::instance().get();
  const uint64_t allowed = clock_.to_cycles(sc_core::sc_time_stamp() + quantum);
  // Without a pending event, the next access from outside is unknown: time stops here.
  if (!horizon_) {
    return sc_core::sc_pending_activity() ? std::max(allowed, next_activity()) : allowed;
  }
  const uint64_t known = reset_n.size() == 0 ? horizon_() : std::min(horizon_(), next_activity());
  return std::max(allowed, known);
}

uint64_t EngineModule::next_activity() const {
  return clock_.to_cycles(sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity());
}

void EngineModule::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  tlm::tlm_response_status refused = check_attributes(payload);
  if (refused == tlm::TLM_OK_RESPONSE && payload.get_data_length() != kRegisterBytes) {
    refused = tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (refused != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refused);
    return;
  }
  if (payload.get_address() >= kWindowBytes) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (read_ahead(payload, delay)) return;
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  const sc_core::sc_time edge =
      clock_.to_time(clock_.to_cycles_up(sc_core::sc_time_stamp())) - sc_core::sc_time_stamp();
  if (edge != sc_core::SC_ZERO_TIME) sc_core::wait(edge);
  harness::RegisterTransfer transfer;
  transfer.write = payload.is_write();
  transfer.address = static_cast<uint32_t>(payload.get_address());
  if (transfer.write) {
    std::memcpy(&transfer.data, payload.get_data_ptr(), 4);
    transfer.strobe = strobe_of(payload);
  }
  const bool ok = !in_reset() && transfer_register(transfer);
  if (!transfer.write) return_value(payload, transfer.data);
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
}

/// Responds to a read without waiting, if the registers are stable until it ends.
bool EngineModule::read_ahead(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!payload.is_read() || !at_rest()) return false;
  const sc_core::sc_time present = sc_core::sc_time_stamp();
  uint64_t cycle = clock_.to_cycles_up(present + delay);
  const sc_core::sc_time answer = clock_.to_time(cycle + harness::kAccessCycles) - present;
  if (sc_core::sc_time_to_pending_activity() <= answer) return false;
  uint32_t value = 0;
  const bool ok = read_at_rest(static_cast<uint32_t>(payload.get_address()), value, cycle);
  return_value(payload, value);
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  delay = clock_.to_time(cycle) - present;
  return true;
}

bool EngineModule::read_at_rest(uint32_t address, uint32_t& value, uint64_t& cycle) {
  cycle += harness::kAccessCycles;
  return peek_register(address, value);
}

/// Reads whole registers only; writes are not supported.
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

}  // namespace mxe::platform
