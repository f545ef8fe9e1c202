// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/dram/bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/presets.h"

namespace mxe::dram {

Config plain_ddr4(const std::string& options) {
  std::string text = "ddr4-3200:refresh=off,request_latency=0,response_latency=0";
  if (!options.empty()) text += "," + options;
  return load_config(text);
}

Bench::Bench(const Config& config, Mode mode)
    : config_(config), map_(config), dram_(make_dram(config, mode)) {
  dram_->record_commands();
}

uint64_t Bench::submit(const Location& at, uint64_t cycle, bool is_write) {
  const uint64_t ps = Clock(config_).ps_of(cycle);
  done_.push_back(kNever);
  return dram_->submit({map_.address_of(at), 1, is_write, ps});
}

uint64_t Bench::read(const Location& at, uint64_t cycle) { return submit(at, cycle, false); }
uint64_t Bench::write(const Location& at, uint64_t cycle) { return submit(at, cycle, true); }

void Bench::run() {
  for (uint64_t event = dram_->next_event_ps(); event != kNever; event = dram_->next_event_ps()) {
    dram_->advance(event);
  }
  for (const Completion& completion : dram_->take_completions()) {
    done_.at(completion.ticket) = Clock(config_).cycle_from(completion.done_ps);
  }
}

uint64_t Bench::done(uint64_t ticket) const { return done_.at(ticket); }

std::string Bench::commands() const {
  constexpr const char* kNames[] = {"ACT", "PRE", "PREA", "RD", "WR", "REF", "REFpb"};
  std::vector<CommandRecord> log = dram_->log(0);
  std::stable_sort(log.begin(), log.end(), [](const CommandRecord& a, const CommandRecord& b) {
    return a.cycle < b.cycle;
  });
  std::string text;
  for (const CommandRecord& one : log) {
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ",
                        kNames[static_cast<unsigned>(one.command)], one.auto_precharge ? "A" : "",
                        one.cycle);
  }
  return text;
}

}  // namespace mxe::dram
