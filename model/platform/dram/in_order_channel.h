// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/platform/dram/channel_timing.h"
#include "model/platform/dram/refresh.h"

namespace mxe::dram {

/// One channel of the quick mode. Reads and writes are served one after the other; the activate of
/// an access may overlap with earlier accesses. The command bus is not modelled.
///
/// Writes wait in a queue. They are drained down to write_low when write_high of them have arrived,
/// and otherwise while the channel is idle.
class InOrderChannel {
 public:
  explicit InOrderChannel(const Config& config);

  /// Serves a read that enters in `cycle`. Returns the cycle after its data.
  uint64_t read(const Location& at, uint64_t cycle);
  /// Queues a write that enters in `cycle`.
  void write(const Location& at, uint64_t cycle);
  /// Serves all queued writes.
  void drain();

  ChannelTiming& timing() { return timing_; }
  const ChannelTiming& timing() const { return timing_; }
  Statistics statistics() const { return timing_.statistics_until(last_column_); }

 private:
  struct Write {
    uint64_t cycle;
    Location at;
  };

  std::size_t arrived_writes(uint64_t cycle) const;
  void drain_before_read(uint64_t cycle);
  void serve_first_write(uint64_t not_before);
  uint64_t serve(Command column, const Location& at, uint64_t cycle);
  void open_row(const Location& at, uint64_t cycle);
  uint64_t first_command_cycle(Command column, const Location& at, uint64_t cycle) const;
  void refresh_before(Command column, const Location& at, uint64_t cycle);
  void refresh(unsigned rank);

  Config config_;
  ChannelTiming timing_;
  RefreshSchedule refresh_;
  std::vector<Write> writes_;  // by cycle
  uint64_t last_column_ = 0;   // cycle of the last read or write command
};

}  // namespace mxe::dram
