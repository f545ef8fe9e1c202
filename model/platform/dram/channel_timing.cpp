// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/channel_timing.h"

#include <algorithm>

namespace mxe::dram {
namespace {

constexpr unsigned number(Command command) { return static_cast<unsigned>(command); }

/// a - b, at least 0.
constexpr uint32_t minus(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

}  // namespace

ChannelTiming::ChannelTiming(const Config& config)
    : config_(config),
      banks_(std::size_t{config.ranks} * config.banks_per_rank()),
      groups_(std::size_t{config.ranks} * config.bank_groups),
      ranks_(config.ranks) {
  add_bank_rules();
  add_activate_rules();
  add_column_rules();
  add_turnaround_rules();
  if (config.refresh != RefreshMode::off) add_refresh_rules();
}

void ChannelTiming::add(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) rules_[number(rule.before)].push_back(rule);
}

void ChannelTiming::add_bank_rules() {
  const Config& t = config_;
  add({
      {Command::activate, Command::activate, Scope::bank, t.rc},
      {Command::activate, Command::read, Scope::bank, t.rcd_rd},
      {Command::activate, Command::write, Scope::bank, t.rcd_wr},
      {Command::activate, Command::precharge, Scope::bank, t.ras},
      {Command::activate, Command::precharge_all, Scope::rank, t.ras},
      {Command::precharge, Command::activate, Scope::bank, t.rp},
      {Command::precharge_all, Command::activate, Scope::rank, t.rp_ab},
      {Command::precharge, Command::precharge, Scope::rank, t.ppd},
      {Command::precharge, Command::precharge_all, Scope::rank, t.ppd},
      {Command::precharge_all, Command::precharge, Scope::rank, t.ppd},
      {Command::read, Command::precharge, Scope::bank, t.rtp},
      {Command::read, Command::precharge_all, Scope::rank, t.rtp},
      {Command::write, Command::precharge, Scope::bank, t.write_to_precharge()},
      {Command::write, Command::precharge_all, Scope::rank, t.write_to_precharge()},
  });
}

void ChannelTiming::add_activate_rules() {
  add({
      {Command::activate, Command::activate, Scope::group, config_.rrd_l},
      {Command::activate, Command::activate, Scope::rank, config_.rrd_s},
  });
}

void ChannelTiming::add_column_rules() {
  const Config& t = config_;
  const uint32_t burst = t.burst_cycles();
  add({
      {Command::read, Command::read, Scope::group, std::max(burst, t.ccd_l)},
      {Command::read, Command::read, Scope::rank, std::max(burst, t.ccd_s)},
      {Command::write, Command::write, Scope::group, std::max(burst, t.ccd_l_wr)},
      {Command::write, Command::write, Scope::rank, std::max(burst, t.ccd_s_wr)},
      {Command::read, Command::read, Scope::other_ranks, burst + t.rtrs},
      {Command::write, Command::write, Scope::other_ranks, burst + t.rtrs},
  });
}

void ChannelTiming::add_turnaround_rules() {
  const Config& t = config_;
  const uint32_t burst = t.burst_cycles();
  add({
      {Command::read, Command::write, Scope::rank, t.rtw},
      {Command::write, Command::read, Scope::group, t.cwl + burst + t.wtr_l},
      {Command::write, Command::read, Scope::rank, t.cwl + burst + t.wtr_s},
      {Command::read, Command::write, Scope::other_ranks, minus(t.cl + burst + t.rtrs, t.cwl)},
      {Command::write, Command::read, Scope::other_ranks, minus(t.cwl + burst + t.rtrs, t.cl)},
  });
}

void ChannelTiming::add_refresh_rules() {
  const Config& t = config_;
  add({
      {Command::activate, Command::refresh, Scope::rank, t.rc},
      {Command::precharge, Command::refresh, Scope::rank, t.rp},
      {Command::precharge_all, Command::refresh, Scope::rank, t.rp_ab},
      {Command::refresh, Command::activate, Scope::rank, t.rfc},
      {Command::refresh, Command::refresh, Scope::rank, t.rfc},
      {Command::activate, Command::refresh_bank, Scope::bank, t.rc},
      {Command::activate, Command::refresh_bank, Scope::rank, t.rrd_s},
      {Command::precharge, Command::refresh_bank, Scope::bank, t.rp},
      {Command::precharge_all, Command::refresh_bank, Scope::rank, t.rp_ab},
      {Command::refresh_bank, Command::activate, Scope::bank, t.rfc_pb},
      {Command::refresh_bank, Command::refresh_bank, Scope::bank, t.rfc_pb},
      {Command::refresh_bank, Command::activate, Scope::rank, t.pbr2act},
      {Command::refresh_bank, Command::refresh_bank, Scope::rank, t.pbr2pbr},
  });
}

uint64_t ChannelTiming::earliest(Command command, const Location& at) const {
  const unsigned i = number(command);
  const Rank& rank = ranks_[at.rank];
  uint64_t cycle = rank.next[i];
  if (command == Command::precharge_all || command == Command::refresh) return cycle;
  cycle = std::max({cycle, banks_[index(at)].next[i], groups_[group_index(at)][i]});
  if (command == Command::activate) {
    cycle = std::max(cycle, rank.activates[rank.oldest_activate]);
  }
  return cycle;
}

unsigned ChannelTiming::bus_of(Command command) const {
  return config_.dual_command && is_column(command) ? 1 : 0;
}

uint64_t ChannelTiming::bus_free(Command command, uint64_t cycle) const {
  return std::max(cycle, bus_free_[bus_of(command)]);
}

void ChannelTiming::occupy_bus(Command command, uint64_t cycle) {
  const uint32_t slots = command == Command::activate ? config_.act_slots
                         : is_column(command)         ? config_.column_slots
                                                      : 1;
  uint64_t& free = bus_free_[bus_of(command)];
  free = std::max(free, cycle + slots);
}

void ChannelTiming::apply(const Rule& rule, const Location& at, uint64_t cycle) {
  const unsigned i = number(rule.after);
  const auto raise = [i, until = cycle + rule.cycles](Times& next) {
    next[i] = std::max(next[i], until);
  };
  switch (rule.scope) {
    case Scope::bank:
      raise(banks_[index(at)].next);
      break;
    case Scope::group:
      raise(groups_[group_index(at)]);
      break;
    case Scope::rank:
      raise(ranks_[at.rank].next);
      break;
    case Scope::other_ranks:
      for (unsigned rank = 0; rank < config_.ranks; rank++) {
        if (rank != at.rank) raise(ranks_[rank].next);
      }
      break;
  }
}

void ChannelTiming::apply_rules(Command command, const Location& at, uint64_t cycle) {
  for (const Rule& rule : rules_[number(command)]) apply(rule, at, cycle);
}

void ChannelTiming::open(const Location& at, uint64_t cycle) {
  Rank& rank = ranks_[at.rank];
  banks_[index(at)].open_row = at.row;
  if (rank.open_banks++ == 0) rank.open_since = cycle;
  rank.activates[rank.oldest_activate] = cycle + config_.faw;
  rank.oldest_activate = (rank.oldest_activate + 1) % 4;
}

void ChannelTiming::close(const Location& at, uint64_t cycle) {
  Rank& rank = ranks_[at.rank];
  auto& row = banks_[index(at)].open_row;
  if (!row) return;
  row.reset();
  if (--rank.open_banks == 0) {
    statistics_.open_cycles += cycle > rank.open_since ? cycle - rank.open_since : 0;
  }
}

void ChannelTiming::close_all(unsigned rank, uint64_t cycle) {
  for (uint32_t group = 0; group < config_.bank_groups; group++) {
    for (uint32_t bank = 0; bank < config_.banks; bank++) {
      close({0, rank, group, bank, 0, 0}, cycle);
    }
  }
}

void ChannelTiming::change_state(Command command, const Location& at, uint64_t cycle) {
  if (command == Command::activate) open(at, cycle);
  if (command == Command::precharge) close(at, cycle);
  if (command == Command::precharge_all) close_all(at.rank, cycle);
}

uint64_t ChannelTiming::precharge_after(Command command, const Location& at, uint64_t cycle) const {
  const uint32_t recovery = command == Command::read ? config_.rtp : config_.write_to_precharge();
  return std::max(cycle + recovery, banks_[index(at)].next[number(Command::precharge)]);
}

void ChannelTiming::count(Command command, const Location& at, uint64_t cycle,
                          bool auto_precharge) {
  statistics_.commands[number(command)]++;
  if (is_column(command)) {
    if (last_column_ && *last_column_ != command) statistics_.turnarounds++;
    last_column_ = command;
  }
  if (records_) log_.push_back({cycle, command, at, auto_precharge});
}

void ChannelTiming::issue(Command command, const Location& at, uint64_t cycle,
                          bool auto_precharge) {
  count(command, at, cycle, auto_precharge);
  occupy_bus(command, cycle);
  change_state(command, at, cycle);
  apply_rules(command, at, cycle);
  if (!auto_precharge) return;
  // The device precharges by itself: no command, so no bus and no tPPD.
  const uint64_t closed = precharge_after(command, at, cycle);
  close(at, closed);
  for (const Rule& rule : rules_[number(Command::precharge)]) {
    if (rule.after != Command::precharge && rule.after != Command::precharge_all) {
      apply(rule, at, closed);
    }
  }
}

Statistics ChannelTiming::statistics_until(uint64_t cycle) const {
  Statistics result = statistics_;
  result.cycles = cycle * config_.ranks;
  for (const Rank& rank : ranks_) {
    if (rank.open_banks != 0 && cycle > rank.open_since) {
      result.open_cycles += cycle - rank.open_since;
    }
  }
  return result;
}

void Statistics::add(const Statistics& other) {
  for (unsigned i = 0; i < kCommands; i++) commands[i] += other.commands[i];
  row_hits += other.row_hits;
  row_misses += other.row_misses;
  row_conflicts += other.row_conflicts;
  turnarounds += other.turnarounds;
  forwarded += other.forwarded;
  coalesced += other.coalesced;
  merged += other.merged;
  open_cycles += other.open_cycles;
  cycles += other.cycles;
}

}  // namespace mxe::dram
