#include "tb/axi_lite_master.h"

namespace mxe {
namespace {

constexpr uint8_t kErrorBit = 2;  // of an AXI response: SLVERR and DECERR have it

}  // namespace

void AxiLiteMaster::start(RegisterTransfer& transfer) {
  transfer_ = &transfer;
  address_sent_ = false;
  data_sent_ = false;
}

void AxiLiteMaster::drive(RtlInputs& in) const {
  const bool write = transfer_ && transfer_->write;
  const bool read = transfer_ && !transfer_->write;
  in.s_awvalid = write && !address_sent_;
  in.s_wvalid = write && !data_sent_;
  in.s_bready = write;
  in.s_arvalid = read && !address_sent_;
  in.s_rready = read;
  if (!transfer_) return;
  in.s_awaddr = in.s_araddr = transfer_->address;
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
  ok_ = ((write_done ? out.s_bresp : out.s_rresp) & kErrorBit) == 0;
  transfer_ = nullptr;
  return true;
}

}  // namespace mxe
