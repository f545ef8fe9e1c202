// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/compute/seq.h"

#include <algorithm>

namespace mxe::engine {

void Seq::start(uint64_t cycle, bool bias, bool dual) {
  bias_ = bias;
  dual_ = dual;
  free_cycle_ = cycle;
}

void Seq::clear() {
  a_number_ = c_number_ = tiles_ = 0;
  last_tile_ = 0;
  std::fill(acc_free_.begin(), acc_free_.end(), 0);
  drain_released_ = {};
}

void Seq::visit(StateVisitor& visitor) {
  visitor.value(std::min<uint64_t>(tiles_, kDrainBanks));
  visitor.value(tiles_ - drain_released_.count());
  visitor.history(drain_released_);
  visitor.exact_cycle(free_cycle_);
  for (uint64_t& free : acc_free_) visitor.cycle(free);
  if (visitor.loop() != Loop::tile) {
    visitor.value(last_tile_);
  } else if (visitor.moves()) {
    last_tile_ = static_cast<unsigned>((last_tile_ + visitor.iterations()) % acc_free_.size());
  }
}

uint64_t Seq::c_ready(const Pass& pass) const {
  return uses_bias(pass) ? c_fills_.full_cycle(c_number_) : 0;
}

uint64_t Seq::drain_ready(const Pass& pass) const {
  if (!pass.last || tiles_ < kDrainBanks) return 0;
  const uint64_t needed = tiles_ - kDrainBanks;
  return needed < drain_released_.count() ? drain_released_[needed] : kNever;
}

uint64_t Seq::next_start(const Pass* pass) const {
  if (!pass) return kNever;
  return std::max({pass->offered_cycle, free_cycle_, acc_ready(*pass), a_ready(), c_ready(*pass),
                   drain_ready(*pass)});
}

Seq::Started Seq::start_pass(const Pass& pass) {
  const uint64_t cycle = next_start(&pass);
  const uint64_t rows_end = cycle + pass.rows;
  count_waiting(pass, cycle);
  free_cycle_ = rows_end;
  std::rotate(acc_free_.begin(), acc_free_.begin() + static_cast<std::ptrdiff_t>(tiles_on(pass)),
              acc_free_.end());
  last_tile_ = pass.tile;
  acc_free_[0] = cycle + kMinPass;
  const unsigned blocks = pass.count > kBlockSize ? 2 * pass.cols : pass.cols;
  counters_.add(Counter::mac_active, cycle, rows_end);
  counters_.add(Counter::blocks, cycle, rows_end, blocks);
  if (dual_) counters_.add(Counter::dual_cycles, cycle, rows_end);

  Started started;
  started.cycle = cycle;
  started.last_row = rows_end - 1;
  started.a_bank = a_fills_.bank(a_number_);
  started.c_bank = c_fills_.bank(c_number_);
  started.drain_bank = tiles_ % kDrainBanks;
  started.uses_bias = uses_bias(pass);
  if (pass.a_done) a_number_++;
  if (started.uses_bias) c_number_++;
  if (pass.last) tiles_++;
  return started;
}

/// Counts the cycles from the end of the previous pass to `start` by cause, in falling priority: A
/// chunk, B words, latency of feeder and accumulators, bias, drain bank.
void Seq::count_waiting(const Pass& pass, uint64_t start) {
  uint64_t from = free_cycle_;
  const auto count = [&](Counter counter, uint64_t until) {
    until = std::min(until, start);
    if (until <= from) return;
    counters_.add(counter, from, until);
    from = until;
  };
  count(Counter::stall_a, a_ready());
  count(Counter::stall_b, pass.read_cycle);
  count(Counter::stall_latency, std::max(pass.offered_cycle, acc_ready(pass)));
  count(Counter::stall_c, c_ready(pass));
  count(Counter::stall_drain, start);
}

void Seq::finish(uint64_t cycle) { counters_.add(Counter::stall_drain, free_cycle_, cycle + 1); }

void Seq::abort_job(uint64_t cycle, const Pass& pass) { count_waiting(pass, cycle + 1); }

}  // namespace mxe::engine
