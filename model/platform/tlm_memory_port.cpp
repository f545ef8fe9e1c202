// SPDX-License-Identifier: Apache-2.0
#include "model/platform/tlm_memory_port.h"

#include <algorithm>

namespace mxe::platform {

engine::BusResponse bus_response(tlm::tlm_response_status status) {
  if (status == tlm::TLM_OK_RESPONSE) return engine::BusResponse::okay;
  return status == tlm::TLM_ADDRESS_ERROR_RESPONSE ? engine::BusResponse::decode_error
                                                   : engine::BusResponse::slave_error;
}

TlmMemoryPort::TlmMemoryPort(Socket& socket, const Clock& clock, unsigned beat_bytes)
    : socket_(socket), clock_(clock), beat_(beat_bytes) {
  burst_.beat_bytes = beat_bytes;
  burst_.clock = clock;
  payload_.set_extension(&burst_);
}

TlmMemoryPort::~TlmMemoryPort() { payload_.clear_extension(&burst_); }

void TlmMemoryPort::request(const engine::MemoryRequest& request, engine::Ticket& ticket) {
  if (direct_.covers(request.address, request.bytes)) {
    direct_.serve(request, beat_, ticket);
    return;
  }
  set_payload(request);
  sc_core::sc_time delay = clock_.until(request.cycle);
  send(delay);
  ticket.complete(times_of(request.cycle, delay), bus_response(payload_.get_response_status()));
  if (uses_direct_access_ && payload_.is_dmi_allowed()) request_direct_access(request.address);
}

void TlmMemoryPort::set_payload(const engine::MemoryRequest& request) {
  uint8_t* data = request.data;
  const uint8_t* enables = request.enables;
  // A memory without BurstExtension needs a data pointer even if no data is transferred.
  const bool timing_only = data == nullptr;
  if (timing_only) {
    if (nothing_.size() < request.bytes) nothing_.resize(request.bytes);
    data = nothing_.data();
    if (request.write) {
      std::fill(nothing_.begin(), nothing_.end(), TLM_BYTE_DISABLED);
      enables = data;
    }
  }
  const auto length = static_cast<unsigned>(request.bytes);
  payload_.set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(request.address);
  payload_.set_data_ptr(data);
  payload_.set_data_length(length);
  payload_.set_streaming_width(length);
  payload_.set_byte_enable_ptr(const_cast<uint8_t*>(enables));
  payload_.set_byte_enable_length(enables ? length : 0);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  burst_.timing_only = timing_only;
  burst_.timed = false;
  burst_.issued = request.cycle;
}

/// Without support of byte enables, a write is split into consecutive writes.
void TlmMemoryPort::send(sc_core::sc_time& delay) {
  if (!payload_.get_byte_enable_ptr()) return socket_->b_transport(payload_, delay);
  if (takes_enables_) {
    socket_->b_transport(payload_, delay);
    takes_enables_ = payload_.get_response_status() != tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  if (!takes_enables_) send_pieces(delay);
}

void TlmMemoryPort::send_pieces(sc_core::sc_time& delay) {
  const uint64_t address = payload_.get_address();
  uint8_t* data = payload_.get_data_ptr();
  const unsigned length = payload_.get_data_length();
  uint8_t* enables = payload_.get_byte_enable_ptr();
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_response_status(tlm::TLM_OK_RESPONSE);
  for (unsigned begin = 0, end = 0; begin < length && payload_.is_response_ok(); begin = end) {
    const auto same = [&](uint8_t enable) { return (enable != 0) == (enables[begin] != 0); };
    end =
        static_cast<unsigned>(std::find_if_not(enables + begin, enables + length, same) - enables);
    if (enables[begin] == 0) continue;
    payload_.set_address(address + begin);
    payload_.set_data_ptr(data + begin);
    payload_.set_data_length(end - begin);
    payload_.set_streaming_width(end - begin);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket_->b_transport(payload_, delay);
  }
  payload_.set_address(address);
  payload_.set_data_ptr(data);
  payload_.set_data_length(length);
  payload_.set_streaming_width(length);
  payload_.set_byte_enable_ptr(enables);
}

/// Beat times of a burst issued in `cycle` and answered with `delay`: those of BurstExtension, else
/// the last beat after the delay, the others one per cycle before it, and no read beat before the
/// cycle after the request or before the response.
engine::BeatTimes TlmMemoryPort::times_of(uint64_t cycle, const sc_core::sc_time& delay) const {
  if (burst_.timed) return burst_.times;
  const sc_core::sc_time present = sc_core::sc_time_stamp();
  const uint64_t last = clock_.to_cycles_up(present + delay);
  const uint64_t before = beat_.whole(payload_.get_data_length()) - 1;
  uint64_t first = last - std::min(last, before);
  if (payload_.is_read()) first = std::max({first, cycle + 1, clock_.to_cycles_up(present)});
  return {first << engine::BeatTimes::kFraction, uint64_t{1} << engine::BeatTimes::kFraction};
}

/// Uses direct access only if the memory also provides its timing.
void TlmMemoryPort::request_direct_access(uint64_t address) {
  payload_.set_read();
  payload_.set_address(address);
  payload_.set_dmi_allowed(false);
  burst_.direct = {};
  tlm::tlm_dmi dmi;
  if (!socket_->get_direct_mem_ptr(payload_, dmi)) return;
  if (!burst_.direct.read || !burst_.direct.write || !dmi.is_read_write_allowed()) return;
  direct_ = {dmi.get_start_address(), dmi.get_end_address() - dmi.get_start_address() + 1,
             dmi.get_dmi_ptr(), burst_.direct};
}

uint8_t* TlmMemoryPort::direct(uint64_t address, uint64_t bytes) {
  const uint64_t first = address - beat_.offset(address);
  if (!direct_.covers(first, beat_.touched(address, bytes) * beat_.bytes())) return nullptr;
  return direct_.at(address);
}

}  // namespace mxe::platform
