// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "model/params/params.h"
#include "model/platform/rtl/rtl_top.h"
#include "tb/coverage/bins.h"

namespace mxe::coverage {

class PortBins {
 public:
  /// Outstanding bursts that count as "many"; some random cases limit the memory to this number.
  static constexpr unsigned kManyUnderWay = 16;

  static void define(Bins& bins);

  explicit PortBins(const Params& params) : params_(params) {}
  void cycle(const rtl::RtlInputs& in, const rtl::RtlOutputs& out);
  void report(Bins& bins) const;

  enum Event : std::size_t {
    read_one_beat,
    read_beats,
    read_max_burst,
    read_split_at_4k,
    read_address_waits,
    read_data_waits,
    read_error,
    reads_limit,
    write_one_beat,
    write_beats,
    write_split_at_4k,
    write_address_waits,
    write_data_waits,
    write_data_first,
    write_data_with_address,
    write_data_later,
    write_whole_beat,
    write_partial_start,
    write_partial_end,
    write_partial_both,
    write_error,
    writes_limit,
    irq_rises,
    irq_falls,
    event_count
  };

 private:
  struct Direction {
    uint64_t end = 0;
    unsigned under_way = 0;
  };

  void count(Event event) { events_[event]++; }
  void count_address(Direction& direction, uint64_t address, unsigned length, Event one_beat,
                     Event several, Event split);
  void watch_reads(const rtl::RtlInputs& in, const rtl::RtlOutputs& out);
  void watch_writes(const rtl::RtlInputs& in, const rtl::RtlOutputs& out);
  void watch_order(bool address, bool first_beat);
  void watch_strobes(uint64_t strobes);

  Params params_;
  std::array<uint64_t, event_count> events_{};
  Direction reads_, writes_;
  bool beat_is_first_ = true;
  int64_t addresses_ahead_ = 0;  // write addresses minus first data beats
  bool irq_ = false;
};

}  // namespace mxe::coverage
