// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/state_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>

namespace mxe::coverage {
namespace {

using Names = std::vector<std::string>;

constexpr uint64_t kAnyMore = std::numeric_limits<uint64_t>::max();

const char* const kCommands = "command processor";
const char* const kState = "u_cmd.state_q";
const char* const kSoftReset = "u_regs.ctrl_soft_reset_q";
const char* const kResets = "soft reset x state";

/// A state machine: the possible successors of each state, as in its case statement.
struct Machine {
  const char* signal;
  const char* prefix;
  std::vector<std::pair<const char*, Names>> states;
};
const std::vector<Machine>& machines() {
  static const std::vector<Machine> kMachines = {
      {kState,
       "",
       {{"StIdle", {"StReset", "StSetup", "StAbort"}},
        {"StSetup", {"StStart", "StAbort"}},
        {"StStart", {"StRun", "StAbort"}},
        {"StRun", {"StAbort", "StIdle", "StSetup"}},
        {"StAbort", {"StClear"}},
        {"StClear", {"StIdle"}},
        {"StReset", {"StIdle"}}}},
      {"u_cmd.u_record.state_q",
       "record ",
       {{"StIdle", {"StRecord"}}, {"StRecord", {"StRecData"}}, {"StRecData", {"StIdle"}}}}};
  return kMachines;
}

std::string transition(const Machine& machine, const std::string& from, const std::string& to) {
  return machine.prefix + from + " -> " + to;
}

void define_commands(Bins& bins) {
  Names transitions, resets;
  for (const Machine& machine : machines()) {
    for (const auto& [from, following] : machine.states) {
      for (const std::string& to : following) transitions.push_back(transition(machine, from, to));
      // No bin for StReset: the engine leaves it before software can request another reset.
      const bool counts = machine.signal == kState && std::string(from) != "StReset";
      if (counts) resets.emplace_back(from);
    }
  }
  bins.define(kCommands,
              "Every transition of the command processor's states and of the completion record's.",
              ShortRun::some, transitions);
  bins.define(kResets, "Soft resets in every state of the command processor.", ShortRun::some,
              resets);
}

const char* const kBanks = "banks";

/// Two banks, one bit each, which never become 1 in the same cycle; an abort clears both at once.
const std::array<const char*, 2> kFullBits = {"u_datapath.u_abuf.full_q",
                                              "u_datapath.u_cbuf.full_q"};
/// Bank counts: they change by one, or in an abort to `cleared`.
struct BankCount {
  const char* signal;
  uint64_t cleared;
};
const std::array<BankCount, 4> kBankCounts = {{{"u_datapath.u_load_a.free_q", 2},
                                               {"u_datapath.u_load_bias.free_q", 2},
                                               {"u_datapath.u_seq.d_free_q", 2},
                                               {"u_datapath.u_drain.tiles_q", 0}}};

std::string bank_bin(const std::string& signal, uint64_t from, uint64_t to) {
  return fmt::format("{}, {} -> {}", signal, from, to);
}

void define_banks(Bins& bins) {
  Names names;
  for (const char* signal : kFullBits) {
    for (uint64_t from = 0; from < 4; from++) {
      for (uint64_t to = 0; to < 4; to++) {
        if (from != to && !(from == 0 && to == 3)) names.push_back(bank_bin(signal, from, to));
      }
    }
  }
  for (const BankCount& count : kBankCounts) {
    for (uint64_t from = 0; from < 3; from++) {
      for (uint64_t to = 0; to < 3; to++) {
        const bool step = from + 1 == to || to + 1 == from;
        if (step || (from != to && to == count.cleared)) {
          names.push_back(bank_bin(count.signal, from, to));
        }
      }
    }
  }
  bins.define(kBanks,
              "How buffers of two banks fill and empty: bits of full banks, numbers of free banks, "
              "tiles in the drain.",
              ShortRun::some, names);
}

const char* const kLevels = "levels";

struct Level {
  const char* signal;
  uint64_t first, last;
};
const std::vector<Level> kLevelTable = {
    {"u_cmd.wait_q", 0, 7},
    {"u_cmd.wait_q", 8, 11},
    {"u_cmd.wait_q", 12, 15},
    {"u_cmd.u_desc.flying_q", 1, 1},
    {"u_cmd.u_desc.flying_q", 2, 2},
    {"u_cmd.u_desc.held_q", 1, 1},
    {"u_cmd.u_desc.held_q", 2, 2},
    {"u_cmd.u_record.jobs", 1, 1},
    {"u_cmd.u_record.jobs", 2, 3},
    {"u_cmd.u_record.jobs", 4, 4},
    {"u_datapath.u_load_b.free_q", 0, 0},
    {"u_datapath.u_load_b.free_q", 1, 1},
    {"u_datapath.u_load_b.free_q", 2, kAnyMore},
    {"u_datapath.u_bbuf.full_q", 0, 0},
    {"u_datapath.u_bbuf.full_q", 1, 1},
    {"u_datapath.u_bbuf.full_q", 2, 2},
    {"u_datapath.u_bbuf.full_q", 3, 3},
    {"u_datapath.u_bbuf.full_q", 4, kAnyMore},
    {"u_datapath.u_drain.credit_q", 0, 0},
    {"u_datapath.u_drain.credit_q", 1, 15},
    {"u_datapath.u_drain.credit_q", 16, 16},
    {"u_datapath.u_drain.held_q", 1, 1},
    {"u_datapath.u_drain.held_q", 2, 2},
    {"u_datapath.u_drain.u_requant.full_q", 1, 1},
    {"u_datapath.u_drain.u_requant.full_q", 2, 2},
    {"u_datapath.u_drain.u_requant.credit_q", 0, 0},
    {"u_datapath.u_drain.u_requant.credit_q", 1, 3},
    {"u_datapath.u_drain.u_requant.credit_q", 4, 4},
    {"u_datapath.u_rd_port.under_way_q", 1, 5},
    {"u_datapath.u_rd_port.under_way_q", 6, 63},
    {"u_datapath.u_rd_port.under_way_q", 64, 64},
    {"u_datapath.u_rd_port.bursts_q", 1, 1},
    {"u_datapath.u_rd_port.bursts_q", 2, kAnyMore},
    {"u_datapath.u_wr_port.bursts_q", 1, 1},
    {"u_datapath.u_wr_port.bursts_q", 2, kAnyMore},
    {"u_datapath.u_wr_port.mid_q", 1, 1},
    {"u_datapath.u_wr_port.flush_q", 1, 1},
    {"u_datapath.u_wr_port.u_split.valid_q", 1, 1},
};

std::string level_bin(const Level& level) {
  if (level.first == level.last) return fmt::format("{}, {}", level.signal, level.first);
  if (level.last == kAnyMore) return fmt::format("{}, {} and more", level.signal, level.first);
  return fmt::format("{}, {} to {}", level.signal, level.first, level.last);
}

void define_levels(Bins& bins) {
  Names names;
  for (const Level& level : kLevelTable) names.push_back(level_bin(level));
  bins.define(kLevels, "Queues, credits and transfers under way, from empty to full.",
              ShortRun::some, names);
}

const char* const kTogether = "together";

/// Two signals that should take all combinations of values whose sum is at most `largest_sum`.
struct Meeting {
  const char *first, *second;
  uint64_t first_values, second_values, largest_sum;
};
const std::array<Meeting, 4> kMeetings = {
    {{"u_datapath.u_abuf.full_q", "u_datapath.u_load_b.taken_q", 4, 2, kAnyMore},
     // A tile in the drain occupies a drain bank.
     {"u_datapath.u_seq.d_free_q", "u_datapath.u_drain.tiles_q", 3, 3, 2},
     {"u_datapath.u_drain.tiles_q", "u_datapath.u_drain.held_q", 3, 3, kAnyMore},
     {"u_datapath.u_wr_port.aw_valid_q", "u_datapath.u_wr_port.w_valid_q", 2, 2, kAnyMore}}};

std::string meeting_bin(const std::string& first, uint64_t first_value, const std::string& second,
                        uint64_t second_value) {
  return fmt::format("{} {}, {} {}", first, first_value, second, second_value);
}

void define_together(Bins& bins) {
  Names names;
  for (const Meeting& meeting : kMeetings) {
    for (uint64_t first = 0; first < meeting.first_values; first++) {
      for (uint64_t second = 0; second < meeting.second_values; second++) {
        if (first + second > meeting.largest_sum) continue;
        names.push_back(meeting_bin(meeting.first, first, meeting.second, second));
      }
    }
  }
  bins.define(kTogether, "States of two blocks at the same time.", ShortRun::all, names);
}

std::set<std::string> watched_signals() {
  std::set<std::string> names = {kSoftReset};
  for (const Machine& machine : machines()) names.insert(machine.signal);
  names.insert(kFullBits.begin(), kFullBits.end());
  for (const BankCount& count : kBankCounts) names.insert(count.signal);
  for (const Level& level : kLevelTable) names.insert(level.signal);
  for (const Meeting& meeting : kMeetings) names.insert({meeting.first, meeting.second});
  return names;
}

bool is_bank(const std::string& signal) {
  return std::find(kFullBits.begin(), kFullBits.end(), signal) != kFullBits.end() ||
         std::any_of(kBankCounts.begin(), kBankCounts.end(),
                     [&](const BankCount& count) { return count.signal == signal; });
}

}  // namespace

void StateBins::define(Bins& bins) {
  define_commands(bins);
  define_banks(bins);
  define_levels(bins);
  define_together(bins);
}

StateBins::StateBins(std::vector<rtl::RtlSignal> signals) {
  const std::set<std::string> names = watched_signals();
  for (rtl::RtlSignal& signal : signals) {
    if (names.count(signal.name()) == 0) continue;
    const uint64_t value = signal.value();
    watched_.push_back({std::move(signal), value, {}});
  }
  for (const Meeting& meeting : kMeetings) watch_together(meeting.first, meeting.second);
  watch_together(kSoftReset, kState);
}

void StateBins::watch_together(const char* first, const char* second) {
  const Watched *one = find(first), *other = find(second);
  if (!one || !other) return;
  together_.push_back({static_cast<std::size_t>(one - watched_.data()),
                       static_cast<std::size_t>(other - watched_.data()),
                       {one->value, other->value},
                       {}});
}

const StateBins::Watched* StateBins::find(const std::string& name) const {
  const auto found = std::find_if(watched_.begin(), watched_.end(),
                                  [&](const Watched& w) { return w.signal.name() == name; });
  return found == watched_.end() ? nullptr : &*found;
}

void StateBins::cycle() {
  bool changed = false;
  for (Watched& watched : watched_) {
    const uint64_t value = watched.signal.value();
    if (value == watched.value) continue;
    watched.transitions[{watched.value, value}]++;
    watched.value = value;
    changed = true;
  }
  if (!changed) return;
  for (Together& together : together_) {
    const ValuePair values{watched_[together.first].value, watched_[together.second].value};
    if (values != together.values) together.seen[values]++;
    together.values = values;
  }
}

void StateBins::report(Bins& bins) const {
  for (const Watched& watched : watched_) {
    for (const auto& [values, times] : watched.transitions)
      report_step(watched, values, times, bins);
  }
  for (const Together& together : together_) {
    for (const auto& [values, times] : together.seen) report_meeting(together, values, times, bins);
  }
}

void StateBins::report_step(const Watched& watched, const ValuePair& values, uint64_t times,
                            Bins& bins) const {
  const rtl::RtlSignal& signal = watched.signal;
  const auto [from, to] = values;
  for (const Machine& machine : machines()) {
    if (signal.name() != machine.signal) continue;
    bins.hit(kCommands, transition(machine, signal.value_name(from), signal.value_name(to)), times);
  }
  if (is_bank(signal.name())) bins.hit(kBanks, bank_bin(signal.name(), from, to), times);
  for (const Level& level : kLevelTable) {
    if (signal.name() == level.signal && level.first <= to && to <= level.last) {
      bins.hit(kLevels, level_bin(level), times);
    }
  }
}

void StateBins::report_meeting(const Together& together, const ValuePair& values, uint64_t times,
                               Bins& bins) const {
  const rtl::RtlSignal &first = watched_[together.first].signal,
                       &second = watched_[together.second].signal;
  if (first.name() != kSoftReset) {
    bins.hit(kTogether, meeting_bin(first.name(), values.first, second.name(), values.second),
             times);
  } else if (values.first != 0) {
    bins.hit(kResets, second.value_name(values.second), times);
  }
}

}  // namespace mxe::coverage
