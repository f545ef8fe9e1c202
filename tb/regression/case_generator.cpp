// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/case_generator.h"

#include <algorithm>
#include <array>

#include "model/numerics/base/random.h"
#include "model/params/hardware.h"
#include "model/platform/dram/presets.h"
#include "tb/cosim/job_generator.h"
#include "tb/coverage/port_bins.h"

namespace mxe::regression {
namespace {

unsigned random_latency(Random& random) {
  if (random.one_in(3)) return engine::MemoryTiming{}.latency;
  if (random.one_in(3)) return 1;
  return static_cast<unsigned>(random.one_in(4) ? random.uniform(100, 400) : random.uniform(2, 80));
}

/// Base address of the memory, often below a power of two so that addresses of a job carry far.
uint64_t random_base(Random& random) {
  if (random.one_in(3)) return platform::Memory::Config{}.base;
  const uint64_t anywhere = random.next() / cosim::kMemoryBaseUnit * cosim::kMemoryBaseUnit;
  if (random.one_in(2)) return std::min(anywhere, cosim::kLargestMemoryBase);
  const uint64_t above = uint64_t{1} << random.uniform(32, 63);
  const uint64_t pages = random.uniform(1, random.one_in(2) ? 4 : 16);
  return std::min(
      (random.one_in(2) ? 0 : anywhere / above * above) + above - pages * cosim::kMemoryBaseUnit,
      cosim::kLargestMemoryBase);
}

void draw_environment(CoSimCase& result, const Params& params, Random& random) {
  result.mem_base.address = random_base(random);
  result.timing.latency = random_latency(random);
  if (random.one_in(4)) {
    result.timing.bytes_per_cycle =
        static_cast<double>(random.uniform(10, 10 * params.mem_bytes())) / 10;
  }
  if (random.one_in(3)) result.timing.jitter_seed = random.uniform(1, 1u << 20);
  if (random.one_in(3)) result.back_pressure = random.uniform(1, 1u << 20);
  if (random.one_in(4)) {
    result.ports.reads = static_cast<unsigned>(random.uniform(1, 8));
    result.ports.writes = static_cast<unsigned>(random.uniform(1, 8));
  } else if (random.one_in(2)) {
    result.ports = {coverage::PortBins::kManyUnderWay, coverage::PortBins::kManyUnderWay};
  }
  result.poll = random.one_in(4);
  unsigned largest_log2 = 4;
  while (2u << largest_log2 <= params.queue_depth) largest_log2++;
  do {
    result.ring = 1u << random.uniform(0, largest_log2);
  } while (result.ring > params.queue_depth);
}

cosim::JobMix random_mix(Random& random) {
  cosim::JobMix mix;
  mix.illegal = 12;
  if (random.one_in(3)) {
    mix.max_m = mix.max_n = 12;
    mix.max_k = 100;
  } else if (random.one_in(6)) {
    mix.max_m = mix.max_n = 12;
    mix.max_k = 2200;
    mix.max_work = 4000;
  } else if (random.one_in(12)) {
    mix.max_m = mix.max_n = 2;
    mix.max_k = 1 << 17;
    mix.max_work = 5000;
  } else if (random.one_in(24)) {
    (random.one_in(2) ? mix.max_m : mix.max_n) = 1500;
    (mix.max_m == 1500 ? mix.max_n : mix.max_m) = 2;
    mix.max_k = 40;
    mix.max_work = 2000;
  } else if (random.one_in(4)) {
    mix.max_m = mix.max_n = 100;
    mix.max_k = 100;
    mix.max_work = 12'000;
  }
  return mix;
}

/// Moves parts and rows of a job up to 4 GB apart, within the memory.
void spread(cosim::JobSpec& job, Random& random) {
  struct Distance {
    unsigned job::JobLayout::*field;
    uint64_t rows;
  };
  using L = job::JobLayout;
  const uint64_t m = job.batch * job.m, n = job.batch * job.n;
  const std::array<Distance, 14> distances = {{{&L::a_offset, 1},
                                               {&L::a_gap, m},
                                               {&L::a_scale_offset, 1},
                                               {&L::a_scale_gap, m},
                                               {&L::b_offset, 1},
                                               {&L::b_gap, n},
                                               {&L::b_scale_offset, 1},
                                               {&L::b_scale_gap, n},
                                               {&L::c_offset, 1},
                                               {&L::c_gap, m},
                                               {&L::d_offset, 1},
                                               {&L::d_gap, m},
                                               {&L::d_scale_offset, 1},
                                               {&L::d_scale_gap, m}}};
  constexpr uint64_t kLargest = 4'000'000'000, kWord = 4;
  uint64_t left = cosim::kCoSimMemoryBytes - (uint64_t{1} << 28);
  for (std::size_t i = random.uniform(0, 13), count = 0; count < distances.size(); i++, count++) {
    const Distance& distance = distances[i % distances.size()];
    const uint64_t largest = std::min(left / distance.rows, kLargest) >> random.uniform(0, 24);
    if (largest < kWord || random.one_in(3)) continue;
    const uint64_t chosen = random.uniform(largest / 2, largest) / kWord * kWord;
    // Keep the layout's remainder modulo kWord.
    unsigned& field = job.layout.*distance.field;
    field = static_cast<unsigned>(chosen + field % kWord);
    left -= std::min(left, (chosen + kWord) * distance.rows);
  }
}

/// Gives a job its predecessor's formats, scales, factor, bias and often rows, so that it may be
/// read early.
void make_alike(cosim::JobSpec& job, const cosim::JobSpec& before,
                const cosim::EngineFeatures& engine, Random& random) {
  constexpr std::size_t kMostWork = 60'000;
  const bool needs_bias =
      job.values == cosim::Values::boundaries || job.values == cosim::Values::ties;
  const bool has_kind = has_nvfp4(engine.params) || !(before.nvfp4 || before.alpha);
  const bool has_blocks =
      engine.long_blocks || (before.block_a == kBlockSize && before.block_b == kBlockSize);
  const bool legal = job.spoils.empty() && has_kind && has_blocks &&
                     engine.has_pair(before.format_a, before.format_b);
  if (!legal || (needs_bias && before.bias != job::BiasKind::full)) return;
  job.format_a = before.format_a;
  job.format_b = before.format_b;
  job.nvfp4 = before.nvfp4;
  job.block_a = before.block_a;
  job.block_b = before.block_b;
  job.alpha = before.alpha;
  job.bias = before.bias;
  job.bias_bf16 = before.bias_bf16;
  job.layout.c_offset = before.layout.c_offset;
  job.layout.c_gap = before.layout.c_gap;
  const bool small =
      job.batch * before.m * job.n * ((job.k + kBlockSize - 1) / kBlockSize) <= kMostWork;
  if (small && !random.one_in(4)) job.m = before.m;
}

cosim::BusFault random_fault(std::size_t jobs, Random& random) {
  static const std::array<const char*, 9> kParts = {
      "A", "scales of A", "B", "scales of B", "C", "D", "scales of D", "descriptor", "record"};
  cosim::BusFault fault;
  fault.job = random.uniform(0, jobs - 1);
  fault.part = kParts[random.uniform(0, kParts.size() - 1)];
  fault.row = random.uniform(0, 1u << 16);
  fault.byte = random.uniform(0, 1u << 16);
  return fault;
}

void draw_events(BatchSpec& batch, Random& random) {
  constexpr uint64_t kSeeds = 1u << 20;
  if (random.one_in(16)) batch.empty_jobs = static_cast<uint32_t>(random.uniform(1, 40));
  if (random.one_in(3)) batch.first_job = static_cast<uint32_t>(random.next());
  if (random.one_in(20)) batch.first_job |= 0xFFFF'FFF0;  // job ids wrap around
  if (random.one_in(6)) {
    batch.counters_below =
        static_cast<uint32_t>(random.uniform(1, random.one_in(2) ? 300 : 10'000));
  }
  if (random.one_in(10)) batch.register_writes = random.uniform(1, kSeeds);
  if (random.one_in(12)) batch.ring_overflow = random.uniform(1, kSeeds);
  if (random.one_in(12)) batch.disabled_for = random.uniform(1, 600);
  if (random.one_in(12)) batch.pause_after = random.uniform(1, random.one_in(2) ? 200 : 3000);
  if (random.one_in(8)) batch.masked = true;
  if (random.one_in(4)) batch.traffic = random.uniform(1, kSeeds);
  if (random.one_in(10)) batch.reset_after = random.uniform(1, random.one_in(2) ? 200 : 5000);
  if (random.one_in(8)) batch.faults.push_back(random_fault(batch.jobs.size(), random));
}

/// Draws from a separate random sequence, so that the jobs of a seed do not depend on it.
void draw_doorbells(BatchSpec& batch, Random& random) {
  batch.one_doorbell = random.one_in(6);
  if (random.one_in(6)) batch.doorbells = random.uniform(1, 1u << 20);
}

}  // namespace

void draw_dram(CoSimCase& cosim_case, uint64_t seed) {
  static constexpr std::array<unsigned, 6> kClocks = {433, 700, 800, 1000, 1300, 2000};  // MHz
  Random random(mix64(mix64(seed)));
  const auto& names = dram::preset_names();
  std::string memory = names[random.uniform(0, names.size() - 1)];
  if (random.one_in(3)) memory += ":page=closed";
  if (random.one_in(2)) memory += ":controller=fr-fcfs";
  cosim_case.use_dram(memory, kClocks[random.uniform(0, kClocks.size() - 1)]);
}

CoSimCase random_case(const std::string& config, uint64_t seed, std::size_t jobs) {
  CoSimCase result = random_case(cosim::EngineFeatures(Params::named(config)), seed, jobs);
  result.config = config;
  return result;
}

CoSimCase random_case(const cosim::EngineFeatures& engine, uint64_t seed, std::size_t jobs) {
  CoSimCase result;
  Random random(seed), doorbells(~seed), alike(mix64(~seed));
  draw_environment(result, engine.params, random);
  result.structural = Random(~seed).one_in(4);
  for (std::size_t done = 0; done < jobs;) {
    BatchSpec batch;
    const std::size_t count =
        std::min<std::size_t>(jobs - done, random.uniform(1, 2 * result.ring));
    cosim::JobGenerator generator(engine, random.next(), random_mix(random));
    for (std::size_t i = 0; i < count; i++) batch.jobs.push_back(generator.next_spec());
    const bool runs = alike.one_in(2);
    for (std::size_t i = 1; runs && i < count; i++) {
      if (!alike.one_in(5)) make_alike(batch.jobs[i], batch.jobs[i - 1], engine, alike);
    }
    if (random.one_in(6)) spread(batch.jobs[random.uniform(0, count - 1)], random);
    draw_events(batch, random);
    draw_doorbells(batch, doorbells);
    done += count;
    result.batches.push_back(std::move(batch));
  }
  return result;
}

}  // namespace mxe::regression
