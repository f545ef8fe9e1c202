// SPDX-License-Identifier: Apache-2.0
// Aborted jobs on model and RTL: soft resets and bus errors at random cycles of random batches.
// Status, memory, registers and everything after the abort are equal; the cycles of the abort
// itself differ by at most abort_bound(). MXE_ABORT_SEEDS=N runs N seeds instead of one.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/params/hardware.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/job_generator.h"
#include "tests/cosim/odd_designs.h"

namespace mxe::test {
namespace {

struct Scenario {
  const char* name;
  const char* config = "small";
  engine::MemoryTiming timing = {};
  engine::PortLimits ports = {};
  bool poll = false;
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

/// Example: "latency 40, 5.3 bytes per cycle".
std::string memory_of(const Scenario& scenario) {
  const engine::MemoryTiming& timing = scenario.timing;
  std::string text = fmt::format("latency {}", timing.latency);
  if (timing.bytes_per_cycle != 0)
    text += fmt::format(", {} bytes per cycle", timing.bytes_per_cycle);
  if (timing.jitter_seed != 0) text += ", jitter";
  const auto [reads, writes] = scenario.ports;
  if (reads != engine::PortLimits{}.reads)
    text += fmt::format(", limit {} read and {} write bursts", reads, writes);
  if (scenario.poll) text += ", the driver polls";
  return text;
}

std::string name_of(const testing::TestParamInfo<Scenario>& test) { return test.param.name; }

constexpr unsigned kRing = 4;
constexpr int kBatches = 16;  // of each seed, without those between them
constexpr uint64_t kFirstSeed = 100;

uint64_t seeds() {
  const char* text = std::getenv("MXE_ABORT_SEEDS");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

cosim::CoSimOptions options_of(const Scenario& scenario) {
  cosim::CoSimOptions options;
  if (const std::optional<OddDesign> odd = odd_design(scenario.config)) {
    options.params = odd->params;
    options.rtl.make_top = odd->make_top;
  } else {
    options.params = Params::named(scenario.config);
  }
  options.timing = scenario.timing;
  options.rtl.ports = scenario.ports;
  options.ring_entries = std::min(kRing, options.params.queue_depth);
  options.poll = scenario.poll;
  return options;
}

/// Up to a ring of jobs: later jobs then do not depend on when software sees the end of others.
/// Every second batch has jobs of one shape, whose operands are read early.
cosim::Batch random_jobs(const cosim::CoSimOptions& options, Random& random) {
  cosim::JobMix mix;
  mix.max_m = mix.max_n = 30;
  mix.max_k = random.one_in(3) ? 1200 : 300;
  mix.max_work = 6000;
  mix.illegal = 20;
  cosim::JobGenerator generator(options.params, random.next(), mix);
  cosim::JobSpec spec = generator.next_spec();
  const bool alike = random.one_in(2);
  if (alike && random.one_in(2)) {  // rows of results that share beats
    spec.n = random.uniform(1, options.params.num_pe);
    spec.layout.d_gap = 0;
  }
  cosim::Batch batch;
  for (uint64_t i = random.uniform(1, options.ring_entries); i > 0; i--) {
    batch.jobs.push_back(make_job(spec));
    if (alike) {
      spec.seed++;
    } else {
      spec = generator.next_spec();
    }
  }
  return batch;
}

cosim::BusFault random_fault(std::size_t jobs, Random& random) {
  static constexpr std::array<const char*, 9> kParts = {
      "A", "scales of A", "B", "scales of B", "C", "D", "scales of D", "descriptor", "record"};
  return {random.uniform(0, jobs - 1), kParts[random.uniform(0, kParts.size() - 1)],
          random.uniform(0, 1u << 16), random.uniform(0, 1u << 16)};
}

/// A reset, a bus error, or a reset while a bus error may be aborting a job.
void disturb(cosim::Batch& batch, Random& random) {
  const bool reset = random.one_in(2);
  if (reset) batch.reset_after = random.uniform(1, random.one_in(2) ? 300 : 3000);
  if (!reset || random.one_in(3)) batch.faults.push_back(random_fault(batch.jobs.size(), random));
}

class Aborts : public testing::TestWithParam<Scenario> {};

TEST_P(Aborts, HaveTheEffectsOfTheRtl) {
  const cosim::CoSimOptions options = options_of(GetParam());
  cosim::CoSim cosim(options);
  for (uint64_t seed = kFirstSeed; seed < kFirstSeed + seeds(); seed++) {
    Random random(seed);
    for (int i = 0; i < kBatches && cosim.mismatches().empty(); i++) {
      cosim::Batch batch = random_jobs(options, random);
      disturb(batch, random);
      cosim.run(batch);
      if (random.one_in(2)) cosim.run(random_jobs(options, random));
      for (const cosim::Mismatch& mismatch : cosim.mismatches()) {
        ADD_FAILURE() << "seed " << seed << ", batch " << i << ", " << mismatch.engine << ", job "
                      << mismatch.job << ": " << mismatch.what << " (" << mismatch.about << ")";
      }
    }
  }
  uint64_t equal = 0, shorter = 0, longer = 0;
  for (const cosim::JobCycles& job : cosim.aborts()) {
    if (job.difference() == 0) equal++;
    uint64_t& most = job.model < job.rtl ? shorter : longer;
    most = std::max(most, job.difference());
  }
  const std::size_t jobs = cosim.aborts().size();
  EXPECT_GE(jobs, seeds() * kBatches / 4);
  // scripts/figures reads this line.
  fmt::print(
      "aborts of {} with {}: {}, {} in the RTL's cycles; others up to {} cycles shorter or {} "
      "longer, bound {}\n",
      GetParam().config, memory_of(GetParam()), jobs, equal, shorter, longer,
      abort_bound(options.params));
  RecordProperty("jobs", static_cast<int>(jobs));
  RecordProperty("equal", static_cast<int>(equal));
}

std::vector<Scenario> scenarios() {
  const auto memory = [](unsigned latency, double bytes_per_cycle = 0, uint64_t jitter = 0) {
    engine::MemoryTiming timing;
    timing.latency = latency;
    timing.bytes_per_cycle = bytes_per_cycle;
    timing.jitter_seed = jitter;
    return timing;
  };
  return {{"Small"},
          {"LatencyOne", "small", memory(1)},
          {"LatencyLong", "small", memory(300)},
          {"BandwidthFraction", "small", memory(40, 5.3)},
          {"Jitter", "small", memory(32, 0, 1)},
          {"FewOutstanding", "small", memory(32), {2, 1}},
          {"Polling", "small", memory(12), {}, true},
          {"Base", "base"},
          {"BaseLatencyOne", "base", memory(1)},
          {"BaseBandwidth", "base", memory(1, 24.2), {16, 16}},
          {"Narrow", "narrow", memory(32, 0, 2)},
          {"Segments", "segments", memory(5)},
          {"Beats", "beats", memory(1), {4, 4}}};
}

INSTANTIATE_TEST_SUITE_P(CoSim, Aborts, testing::ValuesIn(scenarios()), name_of);

}  // namespace
}  // namespace mxe::test
