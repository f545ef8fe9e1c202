// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/axi_memory.h"

#include <algorithm>
#include <utility>

namespace mxe::rtl {

AxiMemory::AxiMemory(unsigned beat_bytes, const engine::PortLimits& limits,
                     uint64_t back_pressure_seed, engine::MemoryPort& memory)
    : beat_bytes_(beat_bytes),
      limits_(limits),
      back_pressure_(back_pressure_seed != 0),
      random_(back_pressure_seed),
      memory_(memory) {}

bool AxiMemory::hesitate() { return back_pressure_ && random_.one_in(4); }

void AxiMemory::drive(uint64_t cycle, RtlInputs& in) {
  in.m_arready = reads_.size() < limits_.reads && !hesitate();
  in.m_awready = writes_outstanding() < limits_.writes && !hesitate();
  in.m_wready = !hesitate();

  in.m_rvalid = !reads_.empty() && reads_.front().has_beat(cycle) && (read_offered_ || !hesitate());
  in.m_rdata = nullptr;  // avoids a pointer into a completed burst
  if (in.m_rvalid) {
    const Read& read = reads_.front();
    in.m_rdata = read.data.data() + std::size_t{read.next} * beat_bytes_;
    in.m_rid = read.id;
    in.m_rresp = static_cast<uint8_t>(read.ticket.response());
    in.m_rlast = read.next + 1 == read.beats;
  }
  read_offered_ = in.m_rvalid;

  in.m_bvalid =
      !writes_.empty() && writes_.front().has_answer(cycle) && (response_offered_ || !hesitate());
  if (in.m_bvalid) {
    in.m_bid = writes_.front().id;
    in.m_bresp = static_cast<uint8_t>(writes_.front().ticket.response());
  }
  response_offered_ = in.m_bvalid;
}

void AxiMemory::sample(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out) {
  if (in.m_rvalid && out.m_rready) {
    read_offered_ = false;
    if (++reads_.front().next == reads_.front().beats) reads_.pop_front();
  }
  if (in.m_bvalid && out.m_bready) {
    response_offered_ = false;
    writes_.pop_front();
  }
  if (in.m_arready && out.m_arvalid) accept_read(cycle, out);
  if (in.m_awready && out.m_awvalid) {
    addresses_.push_back({out.m_awaddr, out.m_awlen + 1u, out.m_aw.id});
  }
  if (in.m_wready && out.m_wvalid) accept_data(out);
  issue_writes(cycle);
}

bool AxiMemory::busy() const {
  return !reads_.empty() || !addresses_.empty() || !data_.empty() || !writes_.empty();
}

void AxiMemory::accept_read(uint64_t cycle, const RtlOutputs& out) {
  Read& read = reads_.emplace_back();
  read.id = out.m_ar.id;
  read.beats = out.m_arlen + 1u;
  read.data.resize(std::size_t{read.beats} * beat_bytes_);
  memory_.request({false, cycle, out.m_araddr, read.data.size(), read.data.data()}, read.ticket);
}

void AxiMemory::accept_data(const RtlOutputs& out) {
  if (data_.empty() || data_.back().complete) data_.emplace_back();
  WriteData& burst = data_.back();
  burst.data.insert(burst.data.end(), out.m_wdata, out.m_wdata + beat_bytes_);
  for (unsigned i = 0; i < beat_bytes_; i++) {
    burst.enables.push_back((out.m_wstrb >> i) & 1 ? 0xFF : 0);
  }
  burst.complete = out.m_wlast;
}

void AxiMemory::issue_writes(uint64_t cycle) {
  while (!addresses_.empty() && !data_.empty() && data_.front().complete) {
    const WriteAddress& address = addresses_.front();
    Write& write = writes_.emplace_back();
    write.burst = std::move(data_.front());
    write.issued = cycle;
    write.beats = address.beats;
    write.id = address.id;
    const engine::MemoryRequest request{true,
                                        cycle,
                                        address.address,
                                        write.burst.data.size(),
                                        write.burst.data.data(),
                                        write.burst.enables.data()};
    addresses_.pop_front();
    data_.pop_front();
    memory_.request(request, write.ticket);
  }
}

}  // namespace mxe::rtl
