// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/fr_fcfs_channel.h"

#include <algorithm>
#include <utility>

namespace mxe::dram {
namespace {

template <typename Queue>
Access* find_address(Queue& queue, uint64_t address) {
  const auto found = std::find_if(queue.begin(), queue.end(), [address](const Access& access) {
    return access.address == address;
  });
  return found == queue.end() ? nullptr : &*found;
}

}  // namespace

FrFcfsChannel::FrFcfsChannel(const Config& config)
    : config_(config), timing_(config), refresh_(config), banks_(timing_.bank_count()) {}

void FrFcfsChannel::add(const Access& access) {
  auto& arriving = access.is_write ? arriving_writes_ : arriving_reads_;
  const auto later = std::upper_bound(
      arriving.begin(), arriving.end(), access,
      [](const Access& a, const Access& b) { return a.entry_cycle < b.entry_cycle; });
  arriving.insert(later, access);
  wake_ = std::min(wake_, access.entry_cycle);
}

bool FrFcfsChannel::is_empty() const {
  return arriving_reads_.empty() && arriving_writes_.empty() && reads_.empty() && writes_.empty();
}

bool FrFcfsChannel::has_room(bool is_write) const {
  return is_write ? arriving_writes_.size() + writes_.size() < config_.write_queue
                  : arriving_reads_.size() + reads_.size() < config_.read_queue;
}

std::vector<FrFcfsChannel::Answer> FrFcfsChannel::take() { return std::exchange(answers_, {}); }

void FrFcfsChannel::accept_read(Access& read) {
  if (find_address(writes_, read.address)) {
    timing_.statistics().forwarded++;
    answers_.push_back({read.ticket, now_ + 1});
    return;
  }
  if (Access* same = config_.merge_reads ? find_address(reads_, read.address) : nullptr) {
    timing_.statistics().merged++;
    same->merged.push_back(read.ticket);
    return;
  }
  reads_.push_back(std::move(read));
}

void FrFcfsChannel::accept_write(Access& write) {
  answers_.push_back({write.ticket, now_});
  if (find_address(writes_, write.address)) {
    timing_.statistics().coalesced++;
  } else {
    writes_.push_back(std::move(write));
  }
}

void FrFcfsChannel::accept_accesses() {
  while (!arriving_writes_.empty() && arriving_writes_.front().entry_cycle <= now_ &&
         writes_.size() < config_.write_queue) {
    accept_write(arriving_writes_.front());
    arriving_writes_.pop_front();
  }
  while (!arriving_reads_.empty() && arriving_reads_.front().entry_cycle <= now_ &&
         reads_.size() < config_.read_queue) {
    accept_read(arriving_reads_.front());
    arriving_reads_.pop_front();
  }
}

void FrFcfsChannel::choose_direction() {
  if (drains_writes_) {
    drains_writes_ = !writes_.empty() && (writes_.size() > config_.write_low || reads_.empty());
  } else {
    drains_writes_ = writes_.size() >= config_.write_high ||
                     (reads_.empty() && writes_.size() > config_.write_idle);
  }
}

bool FrFcfsChannel::hits_open_row(const Access& access) const {
  return timing_.open_row(access.at) == access.at.row;
}

bool FrFcfsChannel::has_opener(unsigned rank) const {
  const auto first = banks_.begin() + rank * config_.banks_per_rank();
  return std::any_of(first, first + config_.banks_per_rank(),
                     [](const Bank& bank) { return bank.has_opener; });
}

void FrFcfsChannel::consider(const Choice& choice) {
  const uint64_t legal = std::max(timing_.earliest(choice.command, choice.at), now_);
  const uint64_t cycle = timing_.bus_free(choice.command, legal);
  if (cycle > now_) {
    next_ = std::min(next_, cycle);
  } else if (choice.priority < best_.priority) {
    best_ = choice;
  }
}

void FrFcfsChannel::consider_refresh(unsigned rank) {
  const Location at = refresh_.target(rank);
  if (refresh_.is_per_bank() ? bank_of(at).has_opener : has_opener(rank)) return;
  consider({Priority::refresh, refresh_.next_command(timing_, rank), at, nullptr});
}

void FrFcfsChannel::consider_refreshes() {
  for (unsigned rank = 0; rank < config_.ranks; rank++) {
    if (refresh_.due(rank) <= now_) {
      consider_refresh(rank);
    } else {
      next_ = std::min(next_, refresh_.due(rank));
    }
  }
}

bool FrFcfsChannel::waits_for_refresh(const Access& access) const {
  if (access.is_opener || refresh_.due(access.at.rank) > now_) return false;
  if (!refresh_.is_per_bank()) return true;
  const Location target = refresh_.target(access.at.rank);
  return target.group == access.at.group && target.bank == access.at.bank;
}

void FrFcfsChannel::mark_hits() {
  for (Bank& bank : banks_) bank.has_hit = bank.has_older_hit = bank.is_claimed = false;
  for (const Access& access : drains_writes_ ? writes_ : reads_) {
    if (hits_open_row(access)) bank_of(access.at).has_hit = true;
  }
}

void FrFcfsChannel::consider_hit(Access& access, Bank& bank) {
  if (bank.is_claimed && bank.hits >= config_.row_hit_cap && !access.is_opener) return;
  bank.has_older_hit = true;
  consider(
      {Priority::column, access.is_write ? Command::write : Command::read, access.at, &access});
}

void FrFcfsChannel::consider_other_row(Access& access, Bank& bank) {
  if (bank.is_claimed) return;
  bank.is_claimed = true;
  if (!timing_.open_row(access.at)) {
    consider({Priority::row, Command::activate, access.at, &access});
    return;
  }
  const bool may_close = bank.hits >= config_.row_hit_cap || !bank.has_hit;
  if (may_close && !bank.has_opener && !bank.has_older_hit) {
    consider({Priority::row, Command::precharge, access.at, &access});
  }
}

void FrFcfsChannel::consider_access(Access& access) {
  if (waits_for_refresh(access)) return;
  Bank& bank = bank_of(access.at);
  if (hits_open_row(access)) {
    consider_hit(access, bank);
  } else {
    consider_other_row(access, bank);
  }
}

void FrFcfsChannel::consider_accesses(Queue& queue, bool only_openers) {
  for (Access& access : queue) {
    if (!only_openers || access.is_opener) consider_access(access);
  }
}

bool FrFcfsChannel::closes_row(const Access& access) const {
  if (config_.page == PagePolicy::open) return false;
  const auto hits = [&](const Access& other) {
    return &other != &access && timing_.index(other.at) == timing_.index(access.at) &&
           other.at.row == access.at.row;
  };
  return std::none_of(reads_.begin(), reads_.end(), hits) &&
         std::none_of(writes_.begin(), writes_.end(), hits);
}

void FrFcfsChannel::issue_column(const Choice& choice) {
  Access& access = *choice.access;
  Statistics& statistics = timing_.statistics();
  (!access.is_opener     ? statistics.row_hits
   : access.had_conflict ? statistics.row_conflicts
                         : statistics.row_misses)++;
  Bank& bank = bank_of(access.at);
  bank.hits++;
  if (access.is_opener) bank.has_opener = false;
  timing_.issue(choice.command, access.at, now_, closes_row(access));
  if (!access.is_write) {
    const uint64_t end = now_ + config_.cl + config_.burst_cycles();
    answers_.push_back({access.ticket, end});
    for (const uint64_t ticket : access.merged) answers_.push_back({ticket, end});
  }
  Queue& queue = access.is_write ? writes_ : reads_;
  queue.erase(queue.begin() + (&access - queue.data()));
}

void FrFcfsChannel::issue(const Choice& choice) {
  if (is_column(choice.command)) {
    issue_column(choice);
    return;
  }
  timing_.issue(choice.command, choice.at, now_);
  if (choice.command == Command::activate) {
    Bank& bank = bank_of(choice.at);
    bank.hits = 0;
    bank.has_opener = true;
    choice.access->is_opener = true;
  }
  if (choice.command == Command::precharge && choice.access) choice.access->had_conflict = true;
  if (is_refresh(choice.command)) refresh_.issued(choice.at.rank);
}

/// Issues at most one command in the present cycle, or sets next_. Returns true if it issued one.
bool FrFcfsChannel::step() {
  accept_accesses();
  choose_direction();
  best_ = {};
  next_ = kNever;
  mark_hits();
  consider_refreshes();
  consider_accesses(drains_writes_ ? reads_ : writes_, true);
  consider_accesses(drains_writes_ ? writes_ : reads_, false);
  if (best_.priority == Priority::none) return false;
  issue(best_);
  return true;
}

void FrFcfsChannel::wait_until(uint64_t cycle) {
  for (const auto* arriving : {&arriving_reads_, &arriving_writes_}) {
    if (!arriving->empty() && arriving->front().entry_cycle > now_) {
      next_ = std::min(next_, arriving->front().entry_cycle);
    }
  }
  wake_ = next_;
  now_ = std::min(next_, cycle);
}

void FrFcfsChannel::advance(uint64_t cycle) {
  while (now_ < cycle) {
    if (!step()) wait_until(cycle);
  }
}

}  // namespace mxe::dram
