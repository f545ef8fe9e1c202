// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "model/numerics/base/error.h"
#include "model/numerics/base/power_of_two.h"
#include "model/platform/dram/address_map.h"

namespace mxe::dram {
namespace {

using Unit = KeyInfo::Unit;

std::string allowed(const KeyInfo& key) {
  return fmt::format("{}{} to {}", key.is_power_of_two ? "a power of two, " : "", key.min, key.max);
}

void check(const Config& config, const KeyInfo& key) {
  const uint32_t value = config.*(key.member);
  if (value >= key.min && value <= key.max && (!key.is_power_of_two || is_power_of_two(value)))
    return;
  throw LimitError(fmt::format("{} is {}; allowed: {}", key.name, value, allowed(key)), key.name,
                   {double(value)});
}

struct Relation {
  const char* greater;
  const char* less;
  bool is_strict;
};

constexpr Relation kRelations[] = {
    {"tRAS", "tRCD_RD", false},
    {"tRC", "tRAS", false},
    {"tCCD_L", "tCCD_S", false},
    {"tCCD_L_WR", "tCCD_S_WR", false},
    {"tRRD_L", "tRRD_S", false},
    {"tFAW", "tRRD_S", false},
    {"tWTR_L", "tWTR_S", false},
    {"write_queue", "write_high", false},
    {"write_high", "write_low", true},
    {"write_high", "write_idle", true},
    {"burst_length", "transfers_per_clock", false},
    {"columns", "burst_length", false},
};

const KeyInfo& key_of(std::string_view name) {
  const auto& keys = config_keys();
  return *std::find_if(keys.begin(), keys.end(),
                       [name](const KeyInfo& key) { return name == key.name; });
}

void check(const Config& config, const Relation& relation) {
  const uint32_t more = config.*(key_of(relation.greater).member);
  const uint32_t less = config.*(key_of(relation.less).member);
  if (relation.is_strict ? more > less : more >= less) return;
  throw LimitError(
      fmt::format("{} is {}; allowed: {} {}, which is {}", relation.greater, more,
                  relation.is_strict ? "more than" : "at least", relation.less, less),
      fmt::format("{} {} {}", relation.greater, relation.is_strict ? ">" : ">=", relation.less),
      {double(more), double(less)});
}

void check_refresh(const Config& config) {
  if (config.refresh == RefreshMode::off) return;
  const bool per_bank = config.refresh == RefreshMode::per_bank;
  const uint32_t duration = per_bank ? config.rfc_pb : config.rfc;
  const uint32_t interval = config.refresh_interval();
  if (duration == 0) {
    throw LimitError(fmt::format("refresh={} needs {}, which is 0; allowed: 1 to 100000",
                                 per_bank ? "per-bank" : "all", per_bank ? "tRFCpb" : "tRFC"),
                     "refresh without duration", {});
  }
  if (interval > duration) return;
  throw LimitError(
      fmt::format("a refresh takes {} cycles, but one is due every {}; allowed: less than that",
                  duration, interval),
      "refresh interval", {double(duration), double(interval)});
}

}  // namespace

uint64_t Config::capacity_bytes() const {
  return uint64_t{units()} * ranks * banks_per_rank() * rows * columns * (width / 8);
}

uint32_t Config::refresh_interval() const {
  return refresh == RefreshMode::per_bank ? refi / banks_per_rank() : refi;
}

double Config::peak_gbs() const {
  return double(units()) * access_bytes() / (double(burst_cycles()) * double(tck_fs) * 1e-6);
}

void Config::validate() const {
  for (const KeyInfo& key : config_keys()) check(*this, key);
  if (tck_fs < 50'000 || tck_fs > 20'000'000) {
    throw LimitError(fmt::format("tCK is {} ps; allowed: 50 to 20000", double(tck_fs) / 1000),
                     "tCK", {double(tck_fs)});
  }
  for (const Relation& relation : kRelations) check(*this, relation);
  check_refresh(*this);
  constexpr uint64_t kMostBytes = uint64_t{1} << 48;
  if (capacity_bytes() > kMostBytes) {
    throw LimitError(
        fmt::format("the memory has {} bytes; allowed: at most {}", capacity_bytes(), kMostBytes),
        "capacity", {double(capacity_bytes())});
  }
  const AddressMap map_of_names(*this);  // throws for a wrong map
}

const std::vector<KeyInfo>& config_keys() {
  constexpr Unit kCount = Unit::count, kCycles = Unit::cycles, kPs = Unit::picoseconds;
  constexpr uint32_t kMost = 1000, kMostRefresh = 100'000;
  static const std::vector<KeyInfo> kKeys = {
      {"channels", &Config::channels, kCount, 1, 64, true, "channels"},
      {"subchannels", &Config::subchannels, kCount, 1, 8, true,
       "independent parts of a channel: subchannels of DDR5, pseudo channels of HBM"},
      {"ranks", &Config::ranks, kCount, 1, 8, true, "ranks of a channel"},
      {"bank_groups", &Config::bank_groups, kCount, 1, 16, true, "bank groups of a rank"},
      {"banks", &Config::banks, kCount, 1, 32, true, "banks of a bank group"},
      {"rows", &Config::rows, kCount, 1, 1u << 20, true, "rows of a bank"},
      {"columns", &Config::columns, kCount, 1, 1u << 16, true,
       "columns of a row, each as wide as a subchannel"},
      {"width", &Config::width, kCount, 8, 1024, true, "data bits of a subchannel"},
      {"burst_length", &Config::burst_length, kCount, 2, 64, true, "transfers of an access"},
      {"transfers_per_clock", &Config::transfers_per_clock, kCount, 1, 16, true,
       "transfers in one tCK"},
      {"devices", &Config::devices, kCount, 1, 64, false, "devices of a rank, for energy"},
      {"CL", &Config::cl, kCycles, 1, kMost, false, "read command to data"},
      {"CWL", &Config::cwl, kCycles, 1, kMost, false, "write command to data"},
      {"tRCD_RD", &Config::rcd_rd, kCycles, 1, kMost, false, "activate to read"},
      {"tRCD_WR", &Config::rcd_wr, kCycles, 1, kMost, false, "activate to write"},
      {"tRP", &Config::rp, kCycles, 1, kMost, false, "precharge to activate"},
      {"tRPab", &Config::rp_ab, kCycles, 1, kMost, false, "precharge of all banks to activate"},
      {"tRAS", &Config::ras, kCycles, 1, kMost, false, "activate to precharge"},
      {"tRC", &Config::rc, kCycles, 1, kMost, false, "activate to activate of one bank"},
      {"tCCD_L", &Config::ccd_l, kCycles, 1, kMost, false, "read to read of one bank group"},
      {"tCCD_S", &Config::ccd_s, kCycles, 1, kMost, false, "read to read of two bank groups"},
      {"tCCD_L_WR", &Config::ccd_l_wr, kCycles, 1, kMost, false,
       "write to write of one bank group"},
      {"tCCD_S_WR", &Config::ccd_s_wr, kCycles, 1, kMost, false,
       "write to write of two bank groups"},
      {"tRRD_L", &Config::rrd_l, kCycles, 1, kMost, false,
       "activate to activate of two banks of a bank group"},
      {"tRRD_S", &Config::rrd_s, kCycles, 1, kMost, false,
       "activate to activate of two bank groups"},
      {"tFAW", &Config::faw, kCycles, 1, kMost, false, "window with at most four activates"},
      {"tWTR_L", &Config::wtr_l, kCycles, 0, kMost, false,
       "end of write data to read of one bank group"},
      {"tWTR_S", &Config::wtr_s, kCycles, 0, kMost, false,
       "end of write data to read of two bank groups"},
      {"tRTW", &Config::rtw, kCycles, 1, kMost, false, "read command to write command"},
      {"tWR", &Config::wr, kCycles, 0, kMost, false, "end of write data to precharge"},
      {"tRTP", &Config::rtp, kCycles, 1, kMost, false, "read to precharge"},
      {"tPPD", &Config::ppd, kCycles, 0, kMost, false, "precharge to precharge"},
      {"tRTRS", &Config::rtrs, kCycles, 0, kMost, false, "gap on the data bus between ranks"},
      {"tRFC", &Config::rfc, kCycles, 0, kMostRefresh, false, "duration of an all-bank refresh"},
      {"tRFCpb", &Config::rfc_pb, kCycles, 0, kMostRefresh, false,
       "duration of a per-bank refresh"},
      {"tREFI", &Config::refi, kCycles, 1, 10'000'000, false,
       "interval of all-bank refreshes; a per-bank refresh is due every tREFI / banks"},
      {"tPBR2PBR", &Config::pbr2pbr, kCycles, 0, kMostRefresh, false,
       "per-bank refresh to per-bank refresh of one rank"},
      {"tPBR2ACT", &Config::pbr2act, kCycles, 0, kMostRefresh, false,
       "per-bank refresh to activate of another bank"},
      {"act_slots", &Config::act_slots, kCount, 1, 8, false, "command-bus cycles of an activate"},
      {"column_slots", &Config::column_slots, kCount, 1, 8, false,
       "command-bus cycles of a read or write"},
      {"dual_command", &Config::dual_command, kCount, 0, 1, false,
       "1: separate buses for row and column commands (HBM)"},
      {"read_queue", &Config::read_queue, kCount, 1, 1024, false, "entries for reads"},
      {"write_queue", &Config::write_queue, kCount, 1, 1024, false, "entries for writes"},
      {"write_high", &Config::write_high, kCount, 1, 1024, false,
       "queued writes that start a drain"},
      {"write_low", &Config::write_low, kCount, 0, 1023, false,
       "queued writes that end a drain if reads wait"},
      {"write_idle", &Config::write_idle, kCount, 0, 1023, false,
       "without reads, more queued writes than this start a drain"},
      {"row_hit_cap", &Config::row_hit_cap, kCount, 1, 1'000'000, false,
       "row hits that may overtake an older request for another row of the bank"},
      {"merge_reads", &Config::merge_reads, kCount, 0, 1, false,
       "1: queued reads of the same access share it"},
      {"request_latency", &Config::request_latency, kPs, 0, 10'000'000, false,
       "controller: request to queue"},
      {"response_latency", &Config::response_latency, kPs, 0, 10'000'000, false,
       "PHY and controller: data to response"},
  };
  return kKeys;
}

const std::vector<PowerKeyInfo>& power_keys() {
  static const std::vector<PowerKeyInfo> kKeys = {
      {"VDD", &Config::vdd, 5, "supply in V"},
      {"IDD0", &Config::idd0, 10'000, "mA, activate and precharge"},
      {"IDD2N", &Config::idd2n, 10'000, "mA, standby, all banks closed"},
      {"IDD3N", &Config::idd3n, 10'000, "mA, standby, a bank open"},
      {"IDD4R", &Config::idd4r, 10'000, "mA, reads"},
      {"IDD4W", &Config::idd4w, 10'000, "mA, writes"},
      {"IDD5B", &Config::idd5b, 10'000, "mA, refresh"},
  };
  return kKeys;
}

}  // namespace mxe::dram
