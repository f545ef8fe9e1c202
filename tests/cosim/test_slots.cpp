// SPDX-License-Identifier: Apache-2.0
// The job pipeline of model and RTL: the three slots have the same values in the same cycles.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "model/engine/arithmetic/block_watcher.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/job_spec.h"

namespace mxe::test {
namespace {

using engine::kPipelineSlots;
using Values = std::array<uint64_t, kPipelineSlots>;  ///< run, wait, ahead

/// The slots from each cycle on in which one of them changes; the first change is in cycle 0.
using Timeline = std::map<uint64_t, Values>;

/// Without the time before the first change, and up to the first error: aborts may take longer in
/// the model.
Timeline normalized(const Timeline& slots) {
  Timeline result;
  Values last{};
  uint64_t first = 0;
  for (const auto& [cycle, values] : slots) {
    if (values == last) continue;
    if (result.empty()) first = cycle;
    result[cycle - first] = last = values;
    for (const uint64_t value : values) {
      if (value >> 4 != 0) return result;
    }
  }
  return result;
}

class ModelSlots : public engine::BlockWatcher {
 public:
  void row(uint64_t, const engine::Arithmetic&) override {}
  void slot(uint64_t cycle, engine::PipelineSlot slot, uint8_t value) override {
    const auto index = static_cast<std::size_t>(slot);
    Values values{};
    const auto after = changes.upper_bound(cycle);
    if (after != changes.begin()) values = std::prev(after)->second;
    values[index] = value;
    changes[cycle] = values;
    for (auto later = after; later != changes.end(); ++later) later->second[index] = value;
  }
  Timeline changes;
};

class RtlSlots : public rtl::RtlObserver {
 public:
  void cycle(const rtl::RtlTop& top, const rtl::RtlInputs&, const rtl::RtlOutputs&) override {
    if (signals_.empty()) find(top);
    Values values{};
    for (std::size_t i = 0; i < signals_.size(); i++) values[i] = signals_[i].value();
    changes[cycle_++] = values;
  }
  Timeline changes;

 private:
  void find(const rtl::RtlTop& top) {
    const std::vector<rtl::RtlSignal> all = top.signals();
    for (const std::string name : {"u_cmd.run_q", "u_cmd.wait_q", "u_cmd.ahead"}) {
      for (const rtl::RtlSignal& signal : all) {
        if (signal.name() == name) signals_.push_back(signal);
      }
    }
    ASSERT_EQ(signals_.size(), kPipelineSlots);
  }

  std::vector<rtl::RtlSignal> signals_;
  uint64_t cycle_ = 0;
};

std::string text(const Timeline& slots) {
  std::string result;
  for (const auto& [cycle, values] : slots) {
    result += std::to_string(cycle) + ":";
    for (const uint64_t value : values) result += " " + std::to_string(value);
    result += "\n";
  }
  return result;
}

/// Counts the entries in which the slot is `from` to `to`. A job: 0x08 to 0x0F, or, after an error,
/// 0x88 and above.
std::size_t count(const Timeline& slots, std::size_t slot, uint64_t from, uint64_t to) {
  std::size_t result = 0;
  for (const auto& [cycle, values] : slots) {
    if (values[slot] >= from && values[slot] <= to) result++;
  }
  return result;
}

cosim::Batch alike(std::size_t jobs, std::size_t n, std::size_t k) {
  cosim::Batch batch;
  cosim::JobSpec spec;
  spec.m = 8;
  spec.n = n;
  spec.k = k;
  spec.values = cosim::Values::codes;
  for (std::size_t i = 0; i < jobs; i++) {
    spec.seed = i;
    batch.jobs.push_back(make_job(spec));
  }
  return batch;
}

TEST(Slots, ChangeInTheSameCycles) {
  ModelSlots model;
  RtlSlots rtl;
  cosim::CoSimOptions options;
  options.timing.latency = 64;
  options.watcher = &model;
  options.rtl.observer = &rtl;
  options.rtl.stop_clock = false;
  cosim::CoSim cosim(options);
  const auto compare = [&](const cosim::Batch& batch, const std::string& what) {
    model.changes.clear();
    rtl.changes.clear();
    cosim.run(batch);
    EXPECT_TRUE(cosim.mismatches().empty()) << what;
    const Timeline expected = normalized(rtl.changes);
    EXPECT_EQ(text(normalized(model.changes)), text(expected)) << what;
    return expected;
  };

  const Timeline early = compare(alike(6, 4, 64), "early reads");
  EXPECT_GT(count(early, 0, 0x0C, 0x0F), 3u);
  EXPECT_GT(count(early, 1, 0x0C, 0x0F), 0u) << "a job waits";
  EXPECT_GT(count(early, 2, 0x0C, 0x0F), 3u);

  cosim::Batch in_order = alike(4, 4, 64);
  for (cosim::CosimJob& job : in_order.jobs) job.in_turn = true;
  in_order.jobs[1].spoils = {{"m", 0}};
  const Timeline none = compare(in_order, "no early reads, a refused job");
  EXPECT_EQ(count(none, 0, 0x0C, 0x0F) + count(none, 1, 1, 0xFF), 0u);

  cosim::Batch refused = alike(4, 30, 300);
  refused.faults = {{1, "B", 0, 0}};
  const Timeline fails = compare(refused, "a bus error of an early read");
  EXPECT_EQ(count(fails, 1, 0x80, 0xFF) + count(fails, 2, 0x80, 0xFF), 1u) << text(fails);

  cosim::Batch aborted = alike(2, 4, 64);
  aborted.faults = {{0, "B", 3, 40}};
  EXPECT_EQ(count(compare(aborted, "an abort"), 0, 0x80, 0xFF), 1u);
}

}  // namespace
}  // namespace mxe::test
