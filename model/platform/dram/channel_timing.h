// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "model/platform/dram/command.h"
#include "model/platform/dram/config.h"

namespace mxe::dram {

/// The banks of one channel or pseudo channel: which rows are open, and the first cycle in which
/// each command is legal.
class ChannelTiming {
 public:
  explicit ChannelTiming(const Config& config);

  /// Index of a bank in the channel.
  unsigned index(const Location& at) const { return group_index(at) * config_.banks + at.bank; }
  unsigned bank_count() const { return static_cast<unsigned>(banks_.size()); }
  std::optional<uint32_t> open_row(const Location& at) const { return banks_[index(at)].open_row; }
  bool has_open_row(unsigned rank) const { return ranks_[rank].open_banks != 0; }

  /// First cycle in which `command` is legal, without the command bus. Does not check that the bank
  /// is open or closed as the command needs it.
  uint64_t earliest(Command command, const Location& at) const;
  /// First cycle from `cycle` on in which the command bus is free for `command`.
  uint64_t bus_free(Command command, uint64_t cycle) const;
  /// Issues `command` in a cycle that is legal. An auto-precharge closes the row as soon as the
  /// timings allow it.
  void issue(Command command, const Location& at, uint64_t cycle, bool auto_precharge = false);

  const Statistics& statistics() const { return statistics_; }
  Statistics& statistics() { return statistics_; }
  /// Counts, with the open cycles of rows that are open until `cycle`.
  Statistics statistics_until(uint64_t cycle) const;
  void record_commands() { records_ = true; }
  const std::vector<CommandRecord>& log() const { return log_; }

 private:
  using Times = std::array<uint64_t, kCommands>;  // first legal cycle of each command
  struct Bank {
    Times next{};
    std::optional<uint32_t> open_row;
  };
  struct Rank {
    Times next{};
    std::array<uint64_t, 4> activates{};  // cycles from which the last four leave tFAW
    unsigned oldest_activate = 0;
    unsigned open_banks = 0;
    uint64_t open_since = 0;
  };
  enum class Scope : uint8_t { bank, group, rank, other_ranks };
  /// `after` is legal from `cycles` after `before` on, within the scope.
  struct Rule {
    Command before, after;
    Scope scope;
    uint32_t cycles;
  };

  unsigned group_index(const Location& at) const {
    return at.rank * config_.bank_groups + at.group;
  }
  unsigned bus_of(Command command) const;
  void add(std::initializer_list<Rule> rules);
  void add_bank_rules();
  void add_activate_rules();
  void add_column_rules();
  void add_turnaround_rules();
  void add_refresh_rules();
  void apply(const Rule& rule, const Location& at, uint64_t cycle);
  void apply_rules(Command command, const Location& at, uint64_t cycle);
  void close(const Location& at, uint64_t cycle);
  void close_all(unsigned rank, uint64_t cycle);
  void open(const Location& at, uint64_t cycle);
  void change_state(Command command, const Location& at, uint64_t cycle);
  uint64_t precharge_after(Command command, const Location& at, uint64_t cycle) const;
  void occupy_bus(Command command, uint64_t cycle);
  void count(Command command, const Location& at, uint64_t cycle, bool auto_precharge);

  Config config_;
  std::array<std::vector<Rule>, kCommands> rules_;  // by Rule::before
  std::vector<Bank> banks_;
  std::vector<Times> groups_;
  std::vector<Rank> ranks_;
  std::array<uint64_t, 2> bus_free_{};  // of row and of column commands; one bus without HBM's two
  std::optional<Command> last_column_;
  Statistics statistics_;
  bool records_ = false;
  std::vector<CommandRecord> log_;
};

}  // namespace mxe::dram
