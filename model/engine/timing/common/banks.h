// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/engine/skipping/state.h"
#include "model/params/hardware.h"

namespace mxe::engine {

/// Cycles in which the banks of a buffer were filled (full_q). Banks are used in turn and numbered
/// since restart() or clear(), over several jobs: with 2 banks, numbers 0, 2, 4, ... are bank 0.
class BankFills {
 public:
  explicit BankFills(unsigned banks = kBanks) : banks_(banks) {}

  unsigned bank(uint64_t n) const { return static_cast<unsigned>(n % banks_); }
  /// Empties all banks; the next one has number 0.
  void restart(unsigned banks) {
    banks_ = banks;
    clear();
  }
  void clear() { full_cycles_ = {}; }
  /// The last word of the next bank arrives in `cycle`.
  void fill(uint64_t cycle) { full_cycles_.push(cycle + 1); }
  /// First cycle in which bank number `n` is full; kNever if unknown.
  uint64_t full_cycle(uint64_t n) const {
    return n < full_cycles_.count() ? full_cycles_[n] : kNever;
  }
  /// `next`: number of the bank that the consumer needs. Earlier ones do not affect times.
  void visit(StateVisitor& visitor, uint64_t next) {
    const uint64_t filled = full_cycles_.count() > next ? full_cycles_.count() - next : 0;
    visitor.value(full_cycles_.count() - next);
    full_cycles_.for_last(filled, [&](uint64_t& cycle) { visitor.cycle(cycle); });
  }

 private:
  unsigned banks_;
  History<uint64_t, 2 * kMaxBanks> full_cycles_;
};

/// The banks that a producer claims in turn and a consumer releases (free_q, taken_q of loaders).
class BankCredits {
 public:
  explicit BankCredits(unsigned banks = kBanks) : banks_(banks) {}

  unsigned banks() const { return banks_; }
  /// The producer needs a bank from cycle `from` on.
  void want(uint64_t from) {
    wanted_cycle_ = from;
    claim();
  }
  /// The consumer releases a bank in `cycle`; the producer sees it one cycle later.
  void release(uint64_t cycle) {
    released_.push(cycle + 1);
    claim();
  }
  /// First cycle with the bank claimed (taken_q); kNever if none is needed or its release is
  /// unknown.
  uint64_t taken_cycle() const { return taken_cycle_; }
  /// The producer has filled the bank; taken_cycle() is kNever until the next want().
  void finish() {
    taken_cycle_ = kNever;
    wanted_cycle_ = kNever;
  }
  void visit(StateVisitor& visitor) {
    visitor.value(std::min<uint64_t>(claims_, banks_));
    visitor.value(claims_ - released_.count());
    // Later claims depend only on releases from number claims_ - banks_ on.
    visitor.history(released_, released_.count() + banks_ - claims_);
    visitor.cycle(wanted_cycle_);
    visitor.cycle(taken_cycle_);
  }

 private:
  void claim() {
    if (wanted_cycle_ == kNever || taken_cycle_ != kNever) return;
    if (claims_ >= released_.count() + banks_) return;
    const uint64_t free_cycle = claims_ < banks_ ? 0 : released_[claims_ - banks_];
    taken_cycle_ = std::max(wanted_cycle_, free_cycle) + 1;
    claims_++;
  }

  unsigned banks_;
  History<uint64_t, kMaxBanks> released_;  // cycle from which each bank is free again
  uint64_t claims_ = 0;
  uint64_t wanted_cycle_ = kNever, taken_cycle_ = kNever;
};

}  // namespace mxe::engine
