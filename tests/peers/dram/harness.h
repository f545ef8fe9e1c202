// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

/// One access of a trace.
struct Step {
  int write = 0;
  unsigned rank = 0, group = 0, bank = 0, row = 0, column = 0;
};

/// A trace as mxe_dram_patterns prints it.
struct Trace {
  uint64_t gap = 0, window = 0, cycles = 0;
  std::vector<Step> steps;
};

inline Trace read_trace(const char* path) {
  std::ifstream file(path);
  Trace trace;
  file >> trace.gap >> trace.window >> trace.cycles;
  Step step;
  while (file >> step.write >> step.rank >> step.group >> step.bank >> step.row >> step.column) {
    trace.steps.push_back(step);
  }
  return trace;
}

/// Serves a trace in another simulator and prints its rate, in accesses per 1000 cycles, and the
/// mean latency of reads in cycles.
class Run {
 public:
  /// `offset`: cycles from the call of done() to the end of the data.
  explicit Run(uint64_t offset) : offset_(offset) {}

  /// The read with this index was answered.
  void done(std::size_t index) {
    outstanding_--;
    reads_++;
    latency_ += double(cycle_ - arrivals_[index] + offset_);
  }

  /// Calls send(step, index), which returns true if the simulator accepts the access, and tick()
  /// once per cycle.
  template <typename Send, typename Tick>
  void run(const Trace& trace, const Send& send, const Tick& tick) {
    uint64_t free_cycle = 0;
    for (; cycle_ < trace.cycles; cycle_++) {
      const Step& step = trace.steps.at(arrivals_.size());
      const bool waits = cycle_ < free_cycle || (!step.write && outstanding_ >= trace.window);
      if (!waits && send(step, arrivals_.size())) {
        arrivals_.push_back(cycle_);
        if (!step.write) outstanding_++;
        free_cycle = cycle_ + trace.gap;
      }
      tick();
    }
    std::printf("%.3f %.3f\n", double(arrivals_.size()) * 1000 / double(trace.cycles),
                latency_ / double(reads_));
  }

 private:
  uint64_t offset_;
  uint64_t cycle_ = 0, outstanding_ = 0, reads_ = 0;
  double latency_ = 0;
  std::vector<uint64_t> arrivals_;
};
