// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/engine/memory/memory_timing.h"
#include "model/platform/dram/clock.h"
#include "model/platform/dram/dram.h"
#include "model/platform/dram/plugin_library.h"

namespace mxe::dram {

/// A DRAM and the clock of the engine that uses it.
struct Setup {
  Config config;
  double clock_mhz = 1000;  ///< a cycle of the engine takes 1,000,000 / clock_mhz ps
  std::shared_ptr<PluginLibrary> plugin = {};  ///< replaces `config`

  /// Throws LimitError unless the clock is from 1 to 10,000 MHz.
  void validate() const;
  /// True if times are known later than their requests: not in the quick mode.
  bool answers_late() const { return plugin || config.controller == Mode::fr_fcfs; }
  /// Throws Error if the memory answers late. `user` names who needs it: "mxe run".
  void require_quick(const std::string& user) const;
  /// The memory: of the plug-in, or with the controller of `config`.
  std::unique_ptr<Dram> make() const;
  /// The clock of the engine, and its period in femtoseconds.
  Clock clock() const { return Clock(period_fs()); }
  uint64_t period_fs() const;
  /// The clock and every value of the configuration in one line, equal for equal times.
  std::string to_text() const;
  /// A memory without state that has its idle latency and its peak rate, shared by both directions;
  /// of a plug-in, whose latency and rate are unknown, the fastest one.
  engine::MemoryTiming ideal_timing() const;
};

/// Time of the first of `beats` that follow one another every `period_fs`, none before its data. A
/// write has one response. Example: data at 100,000 ps to 103,000 ps, 4 beats of 1 ns: 100,000.
uint64_t first_beat_ps(const Completion& completion, bool is_write, uint64_t beats,
                       uint64_t period_fs);

/// Times of the bursts at an engine's port in a DRAM, by its quick mode. A burst enters the DRAM at
/// the first edge of tCK from its cycle on, and its beats arrive at the first edges of the engine's
/// clock from their data on. Bursts must come in the order of their cycles.
class PortTiming {
 public:
  explicit PortTiming(const Setup& setup);

  /// The beats of a read arrive one per cycle, in the order of the bursts, none before its data.
  engine::BeatTimes read(uint64_t cycle, uint64_t address, uint64_t bytes, unsigned beat_bytes);
  /// Serves a write whose last beat is accepted in `cycle`. The last of the times is that of its
  /// acknowledgement.
  engine::BeatTimes write(uint64_t cycle, uint64_t address, uint64_t bytes, unsigned beat_bytes);

  /// Counts of the commands so far; none of a plug-in.
  Statistics statistics() const { return dram_->statistics(); }

 private:
  uint64_t response_cycle(const Request& request);

  Clock engine_;
  unsigned access_bytes_;
  std::unique_ptr<Dram> dram_;
  uint64_t read_free_cycle_ = 0;  // first cycle after the last beat of a read
};

}  // namespace mxe::dram
