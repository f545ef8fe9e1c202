// SPDX-License-Identifier: Apache-2.0
// Prints data of presets, and traces for comparisons with other simulators (scripts/peers-dram):
//
//   list                             "PRESET GB/s NS SOURCE" per preset
//   keys                             "KEY UNIT MIN MAX DDR4-3200 MEANING" per key
//   PRESET PEER                      the configuration: "KEY VALUE" per key
//   PRESET PEER PATTERN LOAD         the trace: "GAP WINDOW CYCLES", then, per access,
//                                    "WRITE RANK GROUP BANK ROW COLUMN"
//   PRESET PEER PATTERN LOAD MODE    rate and latency of this project's memory
#include <fmt/format.h>

#include <exception>

#include "model/platform/dram/presets.h"
#include "tests/unit/dram/patterns.h"

namespace {

using namespace mxe::dram;

void print_config(const Config& config) {
  fmt::print("tck_ps {}\n", double(config.tck_fs) / 1000);
  for (const KeyInfo& key : config_keys()) fmt::print("{} {}\n", key.name, config.*(key.member));
}

void print_list() {
  for (const PresetInfo& info : list_presets()) {
    fmt::print("{} {} {} {}\n", info.name, info.peak_gbs, info.idle_latency_ns, info.source);
  }
}

void print_keys() {
  constexpr const char* kUnits[] = {"count", "tCK", "ps"};
  const Config config = preset("ddr4-3200");
  for (const KeyInfo& key : config_keys()) {
    fmt::print("{} {} {} {} {} {}\n", key.name, kUnits[static_cast<int>(key.unit)], key.min,
               key.max, config.*(key.member), key.meaning);
  }
}

void run(int count, char** words) {
  if (count == 2) return std::string(words[1]) == "keys" ? print_keys() : print_list();
  const Config config = comparable(words[1], words[2]);
  if (count == 3) return print_config(config);
  const Load load = std::string(words[4]) == "light" ? light_load(config) : heavy_load();
  const auto steps = pattern(words[3], config, kScoreCycles / 2);
  if (count == 6) {
    const Mode mode = std::string(words[5]) == "in_order" ? Mode::in_order : Mode::fr_fcfs;
    const Score score = measure(config, mode, steps, load);
    fmt::print("{:.3f} {:.3f}\n", score.rate, score.latency);
    return;
  }
  fmt::print("{} {} {}\n", load.gap, load.window, kScoreCycles);
  for (const Step& step : steps) {
    fmt::print("{} {} {} {} {} {}\n", int(step.is_write), step.at.rank, step.at.group, step.at.bank,
               step.at.row, step.at.column);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 && count != 3 && count != 5 && count != 6) {
    fmt::print(stderr,
               "usage: mxe_dram_patterns list | keys | PRESET PEER [PATTERN heavy|light [MODE]]\n");
    return 2;
  }
  try {
    run(count, words);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
