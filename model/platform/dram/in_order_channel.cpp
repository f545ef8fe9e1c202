// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/in_order_channel.h"

#include <algorithm>

namespace mxe::dram {

InOrderChannel::InOrderChannel(const Config& config)
    : config_(config), timing_(config), refresh_(config) {}

uint64_t InOrderChannel::first_command_cycle(Command column, const Location& at,
                                             uint64_t cycle) const {
  const auto row = timing_.open_row(at);
  const Command first = row == at.row ? column : row ? Command::precharge : Command::activate;
  return std::max(timing_.earliest(first, at), cycle);
}

void InOrderChannel::refresh(unsigned rank) {
  const Location at = refresh_.target(rank);
  const uint64_t due = refresh_.due(rank);
  Command command;
  do {
    command = refresh_.next_command(timing_, rank);
    timing_.issue(command, at, std::max(timing_.earliest(command, at), due));
  } while (!is_refresh(command));
  refresh_.issued(rank);
}

/// Serves the refreshes that are due before the access's first command.
void InOrderChannel::refresh_before(Command column, const Location& at, uint64_t cycle) {
  if (!refresh_.is_per_bank()) {
    // Only the last refresh of a long idle time has an effect.
    const uint64_t skipped = refresh_.skip_before(at.rank, cycle);
    timing_.statistics().commands[static_cast<unsigned>(Command::refresh)] += skipped;
  }
  while (refresh_.due(at.rank) <= first_command_cycle(column, at, cycle)) refresh(at.rank);
}

void InOrderChannel::open_row(const Location& at, uint64_t cycle) {
  Statistics& statistics = timing_.statistics();
  const auto row = timing_.open_row(at);
  if (row == at.row) {
    statistics.row_hits++;
    return;
  }
  (row ? statistics.row_conflicts : statistics.row_misses)++;
  if (row) {
    timing_.issue(Command::precharge, at,
                  std::max(timing_.earliest(Command::precharge, at), cycle));
  }
  timing_.issue(Command::activate, at, std::max(timing_.earliest(Command::activate, at), cycle));
}

uint64_t InOrderChannel::serve(Command column, const Location& at, uint64_t cycle) {
  refresh_before(column, at, cycle);
  open_row(at, cycle);
  const uint64_t issued = std::max({timing_.earliest(column, at), cycle, last_column_ + 1});
  timing_.issue(column, at, issued, config_.page == PagePolicy::closed);
  last_column_ = issued;
  return issued;
}

std::size_t InOrderChannel::arrived_writes(uint64_t cycle) const {
  const auto later = std::find_if(writes_.begin(), writes_.end(),
                                  [cycle](const Write& write) { return write.cycle > cycle; });
  return static_cast<std::size_t>(later - writes_.begin());
}

void InOrderChannel::serve_first_write(uint64_t not_before) {
  const Write first = writes_.front();
  writes_.erase(writes_.begin());
  serve(Command::write, first.at, std::max(first.cycle, not_before));
}

void InOrderChannel::drain_before_read(uint64_t cycle) {
  // A write that is served in an idle time must leave the time of the turnaround.
  const uint64_t service = config_.rp + config_.rcd_wr + config_.cwl + config_.burst_cycles() +
                           std::max(config_.wtr_l, config_.wr);
  while (!writes_.empty() && std::max(writes_.front().cycle, last_column_) + service <= cycle) {
    serve_first_write(0);
  }
  if (arrived_writes(cycle) < config_.write_high) return;
  while (arrived_writes(cycle) > config_.write_low) serve_first_write(0);
}

uint64_t InOrderChannel::read(const Location& at, uint64_t cycle) {
  drain_before_read(cycle);
  return serve(Command::read, at, cycle) + config_.cl + config_.burst_cycles();
}

void InOrderChannel::write(const Location& at, uint64_t cycle) {
  const auto later = std::upper_bound(writes_.begin(), writes_.end(), cycle,
                                      [](uint64_t c, const Write& w) { return c < w.cycle; });
  writes_.insert(later, {cycle, at});
  // Without reads, writes go in their order.
  while (writes_.size() > config_.write_queue) serve_first_write(0);
}

void InOrderChannel::drain() {
  while (!writes_.empty()) serve_first_write(0);
}

}  // namespace mxe::dram
