// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/axi_lite_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"

namespace mxe::rtl {
namespace {

[[noreturn]] void breach(uint64_t cycle, const char* rule) {
  throw Error(fmt::format("AXI4-Lite protocol breach in cycle {}: {}", cycle, rule));
}

}  // namespace

void AxiLiteChecker::check(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out) {
  if (out.s_bvalid && std::min(addresses_, data_) == 0) {
    breach(cycle, "BVALID without the address and the data of a write");
  }
  if (out.s_rvalid && reads_ == 0) breach(cycle, "RVALID without a read");
  if (b_waits_ && (!out.s_bvalid || out.s_bresp != bresp_before_)) {
    breach(cycle, "B changed before BREADY");
  }
  if (r_waits_ && (!out.s_rvalid || out.s_rresp != rresp_before_ || out.s_rdata != rdata_before_)) {
    breach(cycle, "R changed before RREADY");
  }
  b_waits_ = out.s_bvalid && !in.s_bready;
  r_waits_ = out.s_rvalid && !in.s_rready;
  bresp_before_ = out.s_bresp;
  rresp_before_ = out.s_rresp;
  rdata_before_ = out.s_rdata;

  if (out.s_bvalid && in.s_bready) {
    addresses_--;
    data_--;
  }
  if (out.s_rvalid && in.s_rready) reads_--;
  if (in.s_awvalid && out.s_awready) addresses_++;
  if (in.s_wvalid && out.s_wready) data_++;
  if (in.s_arvalid && out.s_arready) reads_++;
}

}  // namespace mxe::rtl
