// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/port_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/numerics/base/error.h"
#include "model/platform/dram/plugin_dram.h"

namespace mxe::dram {

void Setup::validate() const {
  // Written so that NaN fails the comparison.
  if (clock_mhz >= 1 && clock_mhz <= 10'000) return;
  throw LimitError(fmt::format("clock of {} MHz; allowed: 1 to 10000", clock_mhz), "clock_mhz",
                   {clock_mhz});
}

void Setup::require_quick(const std::string& user) const {
  if (!answers_late()) return;
  throw Error(fmt::format("{} needs a DRAM that answers at once; allowed: controller=quick, not {}",
                          user, plugin ? "a plug-in" : "controller=fr-fcfs"));
}

std::unique_ptr<Dram> Setup::make() const {
  validate();
  if (plugin) return std::make_unique<PluginDram>(plugin, clock());
  return make_dram(config, config.controller);
}

uint64_t Setup::period_fs() const { return static_cast<uint64_t>(std::llround(1e9 / clock_mhz)); }

std::string Setup::to_text() const {
  if (plugin) return fmt::format("clock_mhz={} plugin={}", clock_mhz, plugin->text());
  std::string text =
      fmt::format("clock_mhz={} tCK={}fs map={} controller={} refresh={} page={} ideal={}",
                  clock_mhz, config.tck_fs, config.map, static_cast<int>(config.controller),
                  static_cast<int>(config.refresh), static_cast<int>(config.page), config.is_ideal);
  for (const KeyInfo& key : config_keys()) {
    text += fmt::format(" {}={}", key.name, config.*(key.member));
  }
  return text;
}

engine::MemoryTiming Setup::ideal_timing() const {
  engine::MemoryTiming timing;
  if (plugin) {
    timing.latency = 1;
    return timing;
  }
  const double cycles = static_cast<double>(idle_latency_ps(config)) * clock_mhz * 1e-6;
  timing.latency = std::max(1u, static_cast<unsigned>(std::ceil(cycles)));
  timing.bytes_per_cycle = config.peak_gbs() * 1000 / clock_mhz;
  timing.half_duplex = true;
  return timing;
}

uint64_t first_beat_ps(const Completion& completion, bool is_write, uint64_t beats,
                       uint64_t period_fs) {
  if (is_write) return completion.done_ps;
  const uint64_t later_beats_ps = Clock(period_fs).ps_of(beats - 1);
  return std::max(completion.first_ps,
                  completion.done_ps - std::min(completion.done_ps, later_beats_ps));
}

PortTiming::PortTiming(const Setup& setup)
    : engine_(setup.clock()),
      access_bytes_(setup.config.access_bytes()),
      dram_(make_dram(setup.config, Mode::in_order)) {
  setup.validate();
}

uint64_t PortTiming::response_cycle(const Request& request) {
  dram_->submit(request);
  const uint64_t ps = dram_->take_completions().back().done_ps;
  return engine_.cycle_from(ps);
}

engine::BeatTimes PortTiming::read(uint64_t cycle, uint64_t address, uint64_t bytes,
                                   unsigned beat_bytes) {
  uint64_t first = std::max(cycle + 1, read_free_cycle_);
  const uint64_t first_beat = address / beat_bytes, end = address + bytes;
  for (uint64_t begin = address; begin < end;) {
    const uint64_t next = std::min(end, (begin / access_bytes_ + 1) * access_bytes_);
    const uint64_t data = response_cycle({begin, next - begin, false, engine_.ps_of(cycle)});
    first = std::max(first, data - std::min(data, begin / beat_bytes - first_beat));
    begin = next;
  }
  read_free_cycle_ = first + (end - 1) / beat_bytes - first_beat + 1;
  return {first << engine::BeatTimes::kFraction, uint64_t{1} << engine::BeatTimes::kFraction};
}

engine::BeatTimes PortTiming::write(uint64_t cycle, uint64_t address, uint64_t bytes,
                                    unsigned beat_bytes) {
  const uint64_t before = (address + bytes - 1) / beat_bytes - address / beat_bytes;
  const uint64_t last =
      std::max(cycle + 1, response_cycle({address, bytes, true, engine_.ps_of(cycle)}));
  return {(last - std::min(last, before)) << engine::BeatTimes::kFraction,
          uint64_t{1} << engine::BeatTimes::kFraction};
}

}  // namespace mxe::dram
