// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram_memory.h"

#include <algorithm>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/platform/memory.h"
#include "model/platform/payload.h"

namespace mxe::platform {
namespace {

constexpr uint64_t kPsPerCycle = 1000, kFsPerCycle = 1'000'000;  // of a cycle of 1 ns

/// Time of BEGIN_RESP. With BurstExtension the beats of a read follow it one per cycle.
uint64_t response_ps(const tlm::tlm_generic_payload& payload, const dram::Completion& completion,
                     const DramTime& time) {
  const auto* burst = payload.get_extension<BurstExtension>();
  if (!burst || burst->beat_bytes == 0) return completion.done_ps;
  const uint64_t beats =
      engine::BeatSize(burst->beat_bytes).touched(payload.get_address(), payload.get_data_length());
  return dram::first_beat_ps(completion, payload.is_write(), beats,
                             1000 * time.ps_of(burst->clock.period()));
}

/// Those of a plug-in: an exception must not leave a process of the simulation.
template <class Work>
void report_errors(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    SC_REPORT_ERROR("/mxe/dram", error.what());
  }
}

}  // namespace

uint64_t DramTime::ps_of(const sc_core::sc_time& time) const {
  const uint64_t simulated = Clock(1, sc_core::SC_PS).to_cycles_up(time);
  return dram::Clock(cycle_fs_).ps_of(simulated / kPsPerCycle) +
         simulated % kPsPerCycle * cycle_fs_ / kFsPerCycle;
}

sc_core::sc_time DramTime::until(uint64_t ps) const {
  const Clock picoseconds(1, sc_core::SC_PS);
  const dram::Clock engine(cycle_fs_);
  const uint64_t cycle = engine.cycle_until(ps);
  const uint64_t more = (ps - engine.ps_of(cycle)) * kFsPerCycle;
  return picoseconds.until(cycle * kPsPerCycle + (more + cycle_fs_ - 1) / cycle_fs_);
}

DramMemory::DramMemory(const sc_core::sc_module_name& name, const dram::Config& config,
                       dram::Mode mode)
    : DramMemory(name, dram::Setup().period_fs(), dram::make_dram(config, mode), 0, nullptr) {}

DramMemory::DramMemory(const sc_core::sc_module_name& name, const dram::Setup& setup, uint64_t base,
                       dram::AccessLog* accesses)
    : DramMemory(name, setup.period_fs(), setup.make(), base, accesses) {}

DramMemory::DramMemory(const sc_core::sc_module_name& name, uint64_t cycle_fs,
                       std::unique_ptr<dram::Dram> dram, uint64_t base, dram::AccessLog* accesses)
    : sc_module(name), time_(cycle_fs), base_(base), accesses_(accesses), dram_(std::move(dram)) {
  in.register_b_transport(this, &DramMemory::transport);
  in.register_nb_transport_fw(this, &DramMemory::transport_phase);
  in.register_transport_dbg(this, &DramMemory::debug_transport);
  SC_HAS_PROCESS(DramMemory);
  SC_METHOD(advance);
  sensitive << advance_event_;
  dont_initialize();
  SC_METHOD(respond);
  sensitive << respond_event_;
  dont_initialize();
}

void DramMemory::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_response_status refused = check_attributes(payload);
  if (refused != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refused);
    return;
  }
  delay = time_.until(serve(transfer(payload, delay)));
}

/// Transfers the data and returns the request.
dram::Request DramMemory::transfer(tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& delay) {
  const sc_core::sc_time arrival = sc_core::sc_time_stamp() + delay;
  sc_core::sc_time ignored;
  out->b_transport(payload, ignored);
  payload.set_dmi_allowed(false);
  // The times of the memory with the data are not those of the DRAM.
  if (auto* burst = payload.get_extension<BurstExtension>()) burst->timed = false;
  const uint64_t address = payload.get_address() - base_;
  const unsigned length = payload.get_data_length();
  if (accesses_) accesses_->add(current_cycle(), address, length, payload.is_write());
  return {address, length, payload.is_write(), time_.ps_of(arrival)};
}

tlm::tlm_sync_enum DramMemory::transport_phase(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, phase, delay);
  if (phase == tlm::END_RESP) {
    if (responding_ != &payload) {
      SC_REPORT_ERROR("/mxe/dram", "END_RESP of a payload that is not in its response phase");
      return tlm::TLM_ACCEPTED;
    }
    end_response(delay);
    return tlm::TLM_COMPLETED;
  }
  return tlm::TLM_ACCEPTED;  // other phases are ignorable
}

tlm::tlm_sync_enum DramMemory::begin_request(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (requesting_) {
    SC_REPORT_ERROR("/mxe/dram", "BEGIN_REQ before END_REQ of the request before");
    return tlm::TLM_ACCEPTED;
  }
  const tlm::tlm_response_status refused = check_attributes(payload);
  if (refused != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refused);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  const bool has_room = dram_->has_room(payload.is_write());
  const dram::Request request = transfer(payload, delay);
  report_errors([&] { outstanding_[dram_->submit(request)].payload = &payload; });
  take_completions();
  const uint64_t next_ps = dram_->next_event_ps();
  if (next_ps != dram::kNever) advance_event_.notify(time_.until(next_ps));
  if (!has_room) {
    requesting_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

/// Sends END_REQ if the controller has room again.
void DramMemory::end_request() {
  if (!requesting_ || !dram_->has_room(requesting_->is_write())) return;
  tlm::tlm_generic_payload& payload = *requesting_;
  requesting_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  in->nb_transport_bw(payload, phase, delay);
}

/// Sends the next BEGIN_RESP if it is due and the response before has ended.
void DramMemory::respond() {
  while (!responding_ && !responses_.empty()) {
    const sc_core::sc_time present = sc_core::sc_time_stamp();
    const sc_core::sc_time begin =
        std::max(present + time_.until(responses_.begin()->first), response_free_time_);
    if (begin > present) return respond_event_.notify(begin - present);
    responding_ = responses_.begin()->second;
    responses_.erase(responses_.begin());
    // A response before END_REQ implies it.
    if (requesting_ == responding_) requesting_ = nullptr;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = in->nb_transport_bw(*responding_, phase, delay);
    if (answer != tlm::TLM_ACCEPTED) end_response(delay);
  }
}

void DramMemory::end_response(const sc_core::sc_time& delay) {
  responding_->release();
  responding_ = nullptr;
  response_free_time_ = sc_core::sc_time_stamp() + delay;
  if (!responses_.empty()) respond_event_.notify(delay);
}

/// Returns the time of the last data of a read, or of the response to a write.
uint64_t DramMemory::serve(const dram::Request& request) {
  const uint64_t ticket = dram_->submit(request);
  Outstanding& entry = outstanding_[ticket];
  take_completions();
  while (entry.done_ps == dram::kNever) {
    advance_event_.notify(time_.until(dram_->next_event_ps()));
    wait(entry.known_event);
  }
  const uint64_t done_ps = entry.done_ps;
  outstanding_.erase(ticket);
  return done_ps;
}

void DramMemory::advance() {
  report_errors([this] { dram_->advance(time_.now_ps()); });
  take_completions();
  end_request();
  const uint64_t next_ps = dram_->next_event_ps();
  if (next_ps != dram::kNever) advance_event_.notify(time_.until(next_ps));
}

void DramMemory::take_completions() {
  for (const dram::Completion& completion : dram_->take_completions()) {
    Outstanding& entry = outstanding_.at(completion.ticket);
    if (!entry.payload) {
      entry.done_ps = completion.done_ps;
      entry.known_event.notify();
      continue;
    }
    responses_.emplace(response_ps(*entry.payload, completion, time_), entry.payload);
    outstanding_.erase(completion.ticket);
    respond_event_.notify(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace mxe::platform
