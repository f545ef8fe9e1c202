// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/dram/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace mxe::dram {
namespace {

enum class Near { same_bank, same_group, same_rank, other_rank };

Near relation(const Location& a, const Location& b) {
  if (a.rank != b.rank) return Near::other_rank;
  if (a.group != b.group) return Near::same_rank;
  return a.bank == b.bank ? Near::same_bank : Near::same_group;
}

bool is_rank_command(Command command) {
  return command == Command::precharge_all || command == Command::refresh;
}

class Checker {
 public:
  Checker(const Config& config, std::vector<CommandRecord> log, bool has_bus)
      : c_(config), log_(std::move(log)), has_bus_(has_bus) {
    std::stable_sort(log_.begin(), log_.end(),
                     [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
  }

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < log_.size() && found_.size() < 10; i++) {
      check_distances(i);
      check_state(log_[i]);
      check_window(i);
      check_data(log_[i]);
      if (has_bus_) check_bus(log_[i]);
    }
    check_refreshes();
    return found_;
  }

 private:
  using BankKey = std::tuple<uint32_t, uint32_t, uint32_t>;

  static BankKey key(const Location& at) { return {at.rank, at.group, at.bank}; }

  void report(const std::string& problem, const CommandRecord& one) {
    found_.push_back(fmt::format("cycle {}: {} (command {}, rank {} group {} bank {} row {})",
                                 one.cycle, problem, static_cast<int>(one.command), one.at.rank,
                                 one.at.group, one.at.bank, one.at.row));
  }

  uint32_t burst() const { return c_.burst_length / c_.transfers_per_clock; }

  /// Minimum cycles from `a` to `b`, by the standards; 0 without a rule.
  uint32_t distance(const CommandRecord& a, const CommandRecord& b) const {
    const Near near = relation(a.at, b.at);
    if (near == Near::other_rank) return between_ranks(a.command, b.command);
    const bool whole = is_rank_command(a.command) || is_rank_command(b.command);
    uint32_t cycles = in_rank(a.command, b.command, near == Near::same_rank);
    if (near == Near::same_bank || whole) cycles = std::max(cycles, in_bank(a.command, b.command));
    return cycles;
  }

  uint32_t between_ranks(Command a, Command b) const {
    if (!is_column(a) || !is_column(b)) return 0;
    // The second burst begins tRTRS after the end of the first.
    const int first = static_cast<int>(a == Command::read ? c_.cl : c_.cwl);
    const int second = static_cast<int>(b == Command::read ? c_.cl : c_.cwl);
    return static_cast<uint32_t>(std::max(0, first + int(burst() + c_.rtrs) - second));
  }

  uint32_t in_rank(Command a, Command b, bool is_other_group) const {
    if (a == Command::activate && b == Command::activate)
      return is_other_group ? c_.rrd_s : c_.rrd_l;
    if (a == Command::read && b == Command::read) return is_other_group ? c_.ccd_s : c_.ccd_l;
    if (a == Command::write && b == Command::write)
      return is_other_group ? c_.ccd_s_wr : c_.ccd_l_wr;
    if (a == Command::read && b == Command::write) return c_.rtw;
    if (a == Command::write && b == Command::read)
      return c_.cwl + burst() + (is_other_group ? c_.wtr_s : c_.wtr_l);
    const auto precharges = [](Command x) {
      return x == Command::precharge || x == Command::precharge_all;
    };
    if (precharges(a) && precharges(b)) return c_.ppd;
    if (a == Command::refresh_bank && b == Command::activate) return c_.pbr2act;
    if (a == Command::refresh_bank && b == Command::refresh_bank) return c_.pbr2pbr;
    if (a == Command::activate && b == Command::refresh_bank) return c_.rrd_s;
    return 0;
  }

  uint32_t in_bank(Command a, Command b) const {
    const bool closes = b == Command::precharge || b == Command::precharge_all;
    const bool refreshes = b == Command::refresh || b == Command::refresh_bank;
    switch (a) {
      case Command::activate:
        return b == Command::activate || refreshes ? c_.rc
               : b == Command::read                ? c_.rcd_rd
               : b == Command::write               ? c_.rcd_wr
               : closes                            ? c_.ras
                                                   : 0;
      case Command::read:
        return closes ? c_.rtp : 0;
      case Command::write:
        return closes ? c_.cwl + burst() + c_.wr : 0;
      case Command::precharge:
        return b == Command::activate || refreshes ? c_.rp : 0;
      case Command::precharge_all:
        return b == Command::activate || refreshes ? c_.rp_ab : 0;
      case Command::refresh:
        return b == Command::activate || refreshes ? c_.rfc : 0;
      case Command::refresh_bank:
        return b == Command::activate || refreshes ? c_.rfc_pb : 0;
    }
    return 0;
  }

  void check_distances(std::size_t i) {
    const uint64_t longest = std::max({c_.rfc, c_.rfc_pb, c_.rc, 1000u});
    for (std::size_t back = 1; back <= i; back++) {
      const CommandRecord& earlier = log_[i - back];
      if (earlier.cycle + longest <= log_[i].cycle) break;
      const uint32_t least = distance(earlier, log_[i]);
      if (log_[i].cycle < earlier.cycle + least) {
        report(fmt::format("{} cycles after command {} of cycle {}, not {}",
                           log_[i].cycle - earlier.cycle, static_cast<int>(earlier.command),
                           earlier.cycle, least),
               log_[i]);
      }
    }
  }

  struct Bank {
    bool is_open = false;
    uint32_t row = 0;
    uint64_t activated = 0;
    uint64_t closed = 0;  // a bank that its auto-precharge closes later
  };

  void close(Bank& bank, uint64_t ready) {
    bank.is_open = false;
    bank.closed = ready;
  }

  void check_state(const CommandRecord& one) {
    Bank& bank = banks_[key(one.at)];
    switch (one.command) {
      case Command::activate:
        if (bank.is_open) report("activate of an open bank", one);
        if (bank.closed > one.cycle) report("activate before the auto-precharge has ended", one);
        bank = {true, one.at.row, one.cycle, 0};
        break;
      case Command::precharge:
        bank.is_open = false;
        break;
      case Command::read:
      case Command::write:
        if (!bank.is_open || bank.row != one.at.row) report("row is not open", one);
        if (one.auto_precharge) {
          const uint64_t recovery =
              one.command == Command::read ? c_.rtp : c_.cwl + burst() + c_.wr;
          close(bank, std::max(one.cycle + recovery, bank.activated + c_.ras) + c_.rp);
        }
        break;
      case Command::refresh_bank:
        if (bank.is_open || bank.closed > one.cycle) report("refresh of an open bank", one);
        break;
      case Command::precharge_all:
        for (auto& [at, other] : banks_) {
          if (std::get<0>(at) == one.at.rank) other.is_open = false;
        }
        break;
      case Command::refresh:
        for (const auto& [at, other] : banks_) {
          const bool is_ready = !other.is_open && other.closed <= one.cycle;
          if (std::get<0>(at) == one.at.rank && !is_ready) report("refresh with an open row", one);
        }
        break;
    }
  }

  void check_window(std::size_t i) {
    if (log_[i].command != Command::activate) return;
    unsigned count = 0;
    for (std::size_t back = 0; back <= i; back++) {
      const CommandRecord& one = log_[i - back];
      if (one.cycle + c_.faw <= log_[i].cycle) break;
      if (one.command == Command::activate && one.at.rank == log_[i].at.rank) count++;
    }
    if (count > 4) report("five activates within tFAW", log_[i]);
  }

  void check_data(const CommandRecord& one) {
    if (!is_column(one.command)) return;
    const uint64_t begin = one.cycle + (one.command == Command::read ? c_.cl : c_.cwl);
    if (begin < data_end_) report("two bursts overlap on the data bus", one);
    data_end_ = std::max(data_end_, begin + burst());
  }

  void check_bus(const CommandRecord& one) {
    uint64_t& free = bus_[c_.dual_command && is_column(one.command) ? 1 : 0];
    if (one.cycle < free) report("two commands overlap on the command bus", one);
    free = one.cycle + (one.command == Command::activate ? c_.act_slots
                        : is_column(one.command)         ? c_.column_slots
                                                         : 1);
  }

  void check_refreshes() {
    if (c_.refresh == RefreshMode::off || log_.empty()) return;
    const bool per_bank = c_.refresh == RefreshMode::per_bank;
    const uint64_t interval = per_bank ? c_.refi / c_.banks_per_rank() : c_.refi;
    const uint64_t due = log_.back().cycle / interval * c_.ranks;
    const auto count = static_cast<uint64_t>(
        std::count_if(log_.begin(), log_.end(), [per_bank](const CommandRecord& one) {
          return one.command == (per_bank ? Command::refresh_bank : Command::refresh);
        }));
    // The standards allow a refresh to be 8 intervals late; the controllers never plan that.
    if (count + 2 * c_.ranks < due) {
      found_.push_back(fmt::format("{} refreshes, but {} were due", count, due));
    }
  }

  const Config& c_;
  std::vector<CommandRecord> log_;
  bool has_bus_;
  std::map<BankKey, Bank> banks_;
  uint64_t data_end_ = 0;
  uint64_t bus_[2] = {};
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> violations(const Config& config, std::vector<CommandRecord> log,
                                    bool has_bus) {
  return Checker(config, std::move(log), has_bus).run();
}

}  // namespace mxe::dram
