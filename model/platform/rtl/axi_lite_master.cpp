// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/axi_lite_master.h"

namespace mxe::rtl {

AxiLiteMaster::AxiLiteMaster(uint64_t hesitation_seed)
    : hesitates_(hesitation_seed != 0), random_(hesitation_seed) {}

/// Returns the value of a valid signal: it may rise late and then stays high until `wanted` falls.
bool AxiLiteMaster::offer(bool wanted, bool& offered) {
  offered = wanted && (offered || !hesitates_ || random_.one_in(2));
  return offered;
}

void AxiLiteMaster::start(harness::RegisterTransfer& transfer) {
  transfer_ = &transfer;
  address_sent_ = false;
  data_sent_ = false;
  rights_ = static_cast<uint8_t>((rights_ + 1) % 8);
}

void AxiLiteMaster::drive(RtlInputs& in) {
  const bool write = transfer_ && transfer_->write;
  const bool read = transfer_ && !transfer_->write;
  const bool ready = !hesitates_ || random_.one_in(2);
  in.s_awvalid = offer(write && !address_sent_, aw_offered_);
  in.s_wvalid = offer(write && !data_sent_, w_offered_);
  in.s_bready = write && ready;
  in.s_arvalid = offer(read && !address_sent_, ar_offered_);
  in.s_rready = read && ready;
  if (!transfer_) return;
  in.s_awaddr = in.s_araddr = transfer_->address;
  in.s_awprot = in.s_arprot = rights_;
  in.s_wdata = transfer_->data;
  in.s_wstrb = transfer_->strobe;
}

bool AxiLiteMaster::sample(const RtlInputs& in, const RtlOutputs& out) {
  if (!transfer_) return false;
  address_sent_ |= (in.s_awvalid && out.s_awready) || (in.s_arvalid && out.s_arready);
  data_sent_ |= in.s_wvalid && out.s_wready;
  const bool write_done = in.s_bready && out.s_bvalid;
  const bool read_done = in.s_rready && out.s_rvalid;
  if (!write_done && !read_done) return false;
  if (read_done) transfer_->data = out.s_rdata;
  ok_ = !is_axi_error(write_done ? out.s_bresp : out.s_rresp);
  transfer_ = nullptr;
  return true;
}

}  // namespace mxe::rtl
