// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/axi_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"

namespace mxe::rtl {
namespace {

constexpr unsigned kIncr = 1;
constexpr uint64_t kPage = 4096;
constexpr unsigned kModifiable = 2, kAllocate = 12;

[[noreturn]] void breach(uint64_t cycle, const std::string& rule) {
  throw Error(fmt::format("AXI protocol breach in cycle {}: {}", cycle, rule));
}

}  // namespace

AxiChecker::AxiChecker(unsigned beat_bytes, unsigned max_burst, bool zero_masked_lanes)
    : beat_bytes_(beat_bytes), max_burst_(max_burst), zero_masked_lanes_(zero_masked_lanes) {}

void AxiChecker::check(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out) {
  check_stable(cycle, out);
  if (out.m_arvalid) {
    check_address(cycle, "AR", out.m_araddr, out.m_arlen, out.m_arsize, out.m_arburst, out.m_ar);
  }
  if (out.m_awvalid) {
    check_address(cycle, "AW", out.m_awaddr, out.m_awlen, out.m_awsize, out.m_awburst, out.m_aw);
  }
  if (zero_masked_lanes_ && out.m_wvalid) check_masked_lanes(cycle, out);
  check_data(cycle, in, out);
  count_bursts(cycle, in, out);
  ar_waits_ = out.m_arvalid && !in.m_arready;
  aw_waits_ = out.m_awvalid && !in.m_awready;
  w_waits_ = out.m_wvalid && !in.m_wready;
  before_ = out;
  if (w_waits_) wdata_before_.assign(out.m_wdata, out.m_wdata + beat_bytes_);
}

void AxiChecker::check_address(uint64_t cycle, const char* channel, uint64_t address,
                               unsigned length, unsigned size, unsigned burst,
                               const AxiAttributes& attributes) const {
  if (burst != kIncr) breach(cycle, fmt::format("{}BURST is {}, not INCR", channel, burst));
  if (attributes.lock != 0) breach(cycle, fmt::format("{}LOCK requests exclusive access", channel));
  if ((attributes.cache & kModifiable) == 0 && (attributes.cache & kAllocate) != 0) {
    breach(cycle, fmt::format("{}CACHE {:#x} is reserved", channel, attributes.cache));
  }
  if ((1u << size) != beat_bytes_) {
    breach(cycle,
           fmt::format("{}SIZE is {} bytes on a port of {}", channel, 1u << size, beat_bytes_));
  }
  if (address % beat_bytes_ != 0) {
    breach(cycle, fmt::format("{}ADDR {:#x} is not beat aligned", channel, address));
  }
  if (length >= max_burst_) {
    breach(cycle, fmt::format("{} burst of {} beats, the longest allowed has {}", channel,
                              length + 1, max_burst_));
  }
  if (address % kPage + uint64_t{length + 1} * beat_bytes_ > kPage) {
    breach(cycle, fmt::format("{} burst of {} beats at {:#x} crosses a 4 KiB boundary", channel,
                              length + 1, address));
  }
}

void AxiChecker::check_stable(uint64_t cycle, const RtlOutputs& out) const {
  if (ar_waits_ && (!out.m_arvalid || out.m_araddr != before_.m_araddr ||
                    out.m_arlen != before_.m_arlen || out.m_ar != before_.m_ar)) {
    breach(cycle, "AR changed before ARREADY");
  }
  if (aw_waits_ && (!out.m_awvalid || out.m_awaddr != before_.m_awaddr ||
                    out.m_awlen != before_.m_awlen || out.m_aw != before_.m_aw)) {
    breach(cycle, "AW changed before AWREADY");
  }
  if (w_waits_ &&
      (!out.m_wvalid || out.m_wlast != before_.m_wlast || out.m_wstrb != before_.m_wstrb ||
       !std::equal(wdata_before_.begin(), wdata_before_.end(), out.m_wdata))) {
    breach(cycle, "W changed before WREADY");
  }
}

void AxiChecker::check_masked_lanes(uint64_t cycle, const RtlOutputs& out) const {
  for (unsigned lane = 0; lane < beat_bytes_; lane++) {
    if ((out.m_wstrb >> lane & 1) == 0 && out.m_wdata[lane] != 0) {
      breach(cycle, fmt::format("WDATA lane {} carries {:#04x} without a strobe, not 0", lane,
                                out.m_wdata[lane]));
    }
  }
}

void AxiChecker::check_data(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out) {
  if (out.m_awvalid && in.m_awready) lengths_.push_back(out.m_awlen);
  if (out.m_wvalid && in.m_wready) {
    if (out.m_wlast) data_ends_.push_back(static_cast<uint8_t>(beat_));
    beat_ = out.m_wlast ? 0 : beat_ + 1;
  }
  while (!lengths_.empty() && !data_ends_.empty()) {
    if (lengths_.front() != data_ends_.front()) {
      breach(cycle, fmt::format("AWLEN announced {} beats, but WLAST came with beat {}",
                                lengths_.front() + 1, data_ends_.front() + 1));
    }
    lengths_.pop_front();
    data_ends_.pop_front();
  }
  if (!lengths_.empty() && beat_ > lengths_.front()) {
    breach(cycle, fmt::format("no WLAST with the last of {} beats", lengths_.front() + 1));
  }
}

void AxiChecker::count_bursts(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out) {
  if (in.m_rvalid && in.m_rlast && out.m_rready && reads_ > 0) reads_--;
  if (in.m_bvalid && out.m_bready && writes_ > 0) writes_--;
  if (out.m_arvalid && in.m_arready) reads_++;
  if (out.m_awvalid && in.m_awready) writes_++;
  if (std::max(reads_, writes_) > kMostOutstanding) {
    breach(cycle, fmt::format("more than {} bursts under way", kMostOutstanding));
  }
}

}  // namespace mxe::rtl
