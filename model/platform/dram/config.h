// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mxe::dram {

/// The controller's behaviour. `in_order`, the quick mode, answers within submit(); its writes are
/// posted, and its times are a function of the requests so far. `fr_fcfs` reorders and answers
/// later.
enum class Mode : uint8_t { in_order, fr_fcfs };

/// "quick", "fr-fcfs".
const char* controller_name(Mode mode);

enum class RefreshMode : uint8_t { off, all_bank, per_bank };
enum class PagePolicy : uint8_t { open, closed };

/// A DRAM and its controller. Names of timings are those of the JEDEC standards; their unit is one
/// cycle of the command clock, tCK. config_keys() describes each member.
struct Config {
  std::string name;    ///< of the preset or file
  std::string source;  ///< public table from which the timings are
  std::string energy_source;

  // Organization
  uint32_t channels = 1;
  uint32_t subchannels = 1;  ///< of a channel: DDR5 2, LPDDR with 64 bits 4, HBM3 2
  uint32_t ranks = 1;
  uint32_t bank_groups = 4;
  uint32_t banks = 4;  ///< of a bank group
  uint32_t rows = 65536;
  uint32_t columns = 1024;  ///< of a row; a column has `width` bits
  uint32_t width = 64;      ///< bits of a subchannel
  uint32_t burst_length = 8;
  uint32_t transfers_per_clock = 2;
  uint32_t devices = 8;  ///< of a rank, for energy
  std::string map = "ro-ch-ra-ba-co-bg";

  // Timings in cycles, except tck_fs
  uint64_t tck_fs = 625'000;  ///< femtoseconds
  uint32_t cl = 22, cwl = 16;
  uint32_t rcd_rd = 22, rcd_wr = 22;
  uint32_t rp = 22, rp_ab = 22, ras = 52, rc = 74;
  uint32_t ccd_l = 8, ccd_s = 4, ccd_l_wr = 8, ccd_s_wr = 4;
  uint32_t rrd_l = 8, rrd_s = 4, faw = 34;
  uint32_t wtr_l = 12, wtr_s = 4, rtw = 12;
  uint32_t wr = 24, rtp = 12, ppd = 0, rtrs = 2;
  uint32_t rfc = 560, rfc_pb = 0, refi = 12480;
  uint32_t pbr2pbr = 0, pbr2act = 0;
  uint32_t act_slots = 1, column_slots = 1;  ///< cycles of the command bus
  uint32_t dual_command = 0;                 ///< 1: one row and one column command per cycle (HBM)

  // Controller
  Mode controller = Mode::in_order;  ///< at an engine of MXE's own platforms
  RefreshMode refresh = RefreshMode::all_bank;
  PagePolicy page = PagePolicy::open;
  uint32_t read_queue = 32, write_queue = 32;
  uint32_t write_high = 26, write_low = 6, write_idle = 0;
  uint32_t row_hit_cap = 16;
  uint32_t merge_reads = 0;
  uint32_t request_latency = 10'000, response_latency = 10'000;  ///< picoseconds
  bool is_ideal = false;  ///< constant latency and peak rate, no other state

  // Energy: volts and milliamperes of one device; 0 without a source
  double vdd = 0, idd0 = 0, idd2n = 0, idd3n = 0, idd4r = 0, idd4w = 0, idd5b = 0;

  uint32_t units() const { return channels * subchannels; }  ///< independent data buses
  uint32_t banks_per_rank() const { return bank_groups * banks; }
  uint32_t burst_cycles() const { return burst_length / transfers_per_clock; }
  uint32_t access_bytes() const { return width / 8 * burst_length; }
  /// From a write to the precharge of its bank.
  uint32_t write_to_precharge() const { return cwl + burst_cycles() + wr; }
  /// From one refresh of a rank to the next, of all its banks or of one.
  uint32_t refresh_interval() const;
  uint64_t capacity_bytes() const;
  /// Peak data rate of all channels in GB/s.
  double peak_gbs() const;

  /// Throws LimitError for the first value or relation that is not allowed.
  void validate() const;
};

/// One key of a configuration, as YAML files and the suffix of a preset name it.
struct KeyInfo {
  enum class Unit : uint8_t { count, cycles, picoseconds };
  const char* name;
  uint32_t Config::*member;
  Unit unit;
  uint32_t min, max;
  bool is_power_of_two;
  const char* meaning;
};

struct PowerKeyInfo {
  const char* name;
  double Config::*member;
  double max;
  const char* meaning;
};

const std::vector<KeyInfo>& config_keys();
const std::vector<PowerKeyInfo>& power_keys();
/// Every key, comma-separated, for messages.
std::string key_names();

/// Applies `key`=`value`. A value of cycles is a whole number of tCK, or a time such as "13.75 ns"
/// that is a whole number of tCK. tRCD sets tRCD_RD and tRCD_WR, tRP also tRPab. Throws Error.
void set_value(Config& config, const std::string& key, const std::string& value);

}  // namespace mxe::dram
