// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/port_bins.h"

#include "model/platform/engine_module.h"

namespace mxe::coverage {
namespace {

const char* const kMemory = "memory port and interrupt";
constexpr uint64_t kPage = 4096;

const std::array<const char*, PortBins::event_count> kEvents = {
    "read of one beat",
    "read of several beats",
    "read of MAX_BURST beats",
    "read split at 4 KiB",
    "read address waits",
    "read data wait",
    "read error",
    "many reads under way",
    "write of one beat",
    "write of several beats",
    "write split at 4 KiB",
    "write address waits",
    "write data wait",
    "write data before their address",
    "write data with their address",
    "write data after their address",
    "whole beat written",
    "first bytes of a beat not written",
    "last bytes of a beat not written",
    "first and last bytes of a beat not written",
    "write error",
    "many writes under way",
    "interrupt rises",
    "interrupt falls",
};

}  // namespace

void PortBins::define(Bins& bins) {
  bins.define(kMemory, "What happens at the pins of the memory port and of the interrupt.",
              ShortRun::some, std::vector<std::string>(kEvents.begin(), kEvents.end()));
}

void PortBins::cycle(const rtl::RtlInputs& in, const rtl::RtlOutputs& out) {
  watch_reads(in, out);
  watch_writes(in, out);
  if (out.irq != irq_) count(out.irq ? irq_rises : irq_falls);
  irq_ = out.irq;
}

void PortBins::count_address(Direction& direction, uint64_t address, unsigned length,
                             Event one_beat, Event several, Event split) {
  count(length == 0 ? one_beat : several);
  if (address == direction.end && address % kPage == 0) count(split);
  direction.end = address + uint64_t{length + 1} * params_.mem_bytes();
  direction.under_way++;
}

void PortBins::watch_reads(const rtl::RtlInputs& in, const rtl::RtlOutputs& out) {
  if (in.m_rvalid && !out.m_rready) count(read_data_waits);
  if (in.m_rvalid && out.m_rready) {
    if (rtl::is_axi_error(in.m_rresp)) count(read_error);
    reads_.under_way -= in.m_rlast;
  }
  if (!out.m_arvalid) return;
  if (!in.m_arready) {
    count(read_address_waits);
    return;
  }
  count_address(reads_, out.m_araddr, out.m_arlen, read_one_beat, read_beats, read_split_at_4k);
  if (out.m_arlen + 1u == params_.max_burst) count(read_max_burst);
  if (reads_.under_way == kManyUnderWay) count(reads_limit);
}

void PortBins::watch_writes(const rtl::RtlInputs& in, const rtl::RtlOutputs& out) {
  if (in.m_bvalid && out.m_bready) {
    if (rtl::is_axi_error(in.m_bresp)) count(write_error);
    writes_.under_way--;
  }
  const bool address = out.m_awvalid && in.m_awready, data = out.m_wvalid && in.m_wready;
  if (out.m_awvalid && !in.m_awready) count(write_address_waits);
  if (out.m_wvalid && !in.m_wready) count(write_data_waits);
  watch_order(address, data && beat_is_first_);
  if (address) {
    count_address(writes_, out.m_awaddr, out.m_awlen, write_one_beat, write_beats,
                  write_split_at_4k);
    if (writes_.under_way == kManyUnderWay) count(writes_limit);
  }
  if (!data) return;
  watch_strobes(out.m_wstrb);
  beat_is_first_ = out.m_wlast;
}

/// Counts whether the first data beat of a burst is before, with or after its address.
void PortBins::watch_order(bool address, bool first_beat) {
  if (first_beat) {
    if (addresses_ahead_ > 0) {
      count(write_data_later);
    } else {
      count(address && addresses_ahead_ == 0 ? write_data_with_address : write_data_first);
    }
  }
  addresses_ahead_ += address;
  addresses_ahead_ -= first_beat;
}

void PortBins::watch_strobes(uint64_t strobes) {
  const unsigned bytes = params_.mem_bytes();
  const bool first = (strobes & 1) == 0, last = (strobes >> (bytes - 1) & 1) == 0;
  if (first && last) {
    count(write_partial_both);
  } else if (first || last) {
    count(first ? write_partial_start : write_partial_end);
  } else {
    count(write_whole_beat);
  }
}

void PortBins::report(Bins& bins) const {
  for (std::size_t i = 0; i < event_count; i++) bins.hit(kMemory, kEvents[i], events_[i]);
}

}  // namespace mxe::coverage
