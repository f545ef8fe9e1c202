// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram_memory.h"

#include "model/platform/memory.h"
#include "model/platform/payload.h"

namespace mxe::platform {

DramMemory::DramMemory(const sc_core::sc_module_name& name, const dram::Config& config,
                       dram::Mode mode)
    : sc_module(name), dram_(dram::make_dram(config, mode)) {
  in.register_b_transport(this, &DramMemory::transport);
  in.register_transport_dbg(this, &DramMemory::debug_transport);
  SC_HAS_PROCESS(DramMemory);
  SC_METHOD(advance);
  sensitive << advance_event_;
  dont_initialize();
}

void DramMemory::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_response_status refused = check_attributes(payload);
  if (refused != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refused);
    return;
  }
  const sc_core::sc_time arrival = sc_core::sc_time_stamp() + delay;
  sc_core::sc_time ignored;
  out->b_transport(payload, ignored);
  payload.set_dmi_allowed(false);
  // The times of the memory with the data are not those of the DRAM.
  if (auto* burst = payload.get_extension<BurstExtension>()) burst->timed = false;
  const uint64_t done_ps = serve({payload.get_address(), payload.get_data_length(),
                                  payload.is_write(), picoseconds_.to_cycles_up(arrival)});
  delay = picoseconds_.until(done_ps);
}

/// Returns the time of the last data of a read, or of the response to a write.
uint64_t DramMemory::serve(const dram::Request& request) {
  const uint64_t ticket = dram_->submit(request);
  Outstanding& entry = outstanding_[ticket];
  take_completions();
  while (entry.done_ps == dram::kNever) {
    advance_event_.notify(picoseconds_.until(dram_->next_event_ps()));
    wait(entry.known_event);
  }
  const uint64_t done_ps = entry.done_ps;
  outstanding_.erase(ticket);
  return done_ps;
}

void DramMemory::advance() {
  dram_->advance(picoseconds_.now());
  take_completions();
  const uint64_t next_ps = dram_->next_event_ps();
  if (next_ps != dram::kNever) advance_event_.notify(picoseconds_.until(next_ps));
}

void DramMemory::take_completions() {
  for (const dram::Completion& completion : dram_->take_completions()) {
    Outstanding& entry = outstanding_.at(completion.ticket);
    entry.done_ps = completion.done_ps;
    entry.known_event.notify();
  }
}

}  // namespace mxe::platform
