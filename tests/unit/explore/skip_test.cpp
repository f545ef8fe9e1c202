// SPDX-License-Identifier: Apache-2.0
// Skipping repeated periods of a job changes neither its cycles nor its counters.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/explore/random_jobs.h"

namespace mxe::explore {
namespace {

/// If a tracer is attached, the model simulates every event.
class Onlooker : public engine::Tracer {
 public:
  void slice(engine::Track, const char*, uint64_t, uint64_t, engine::TraceDetails) override {}
};

/// A legal job of many tiles; in some jobs rows begin anywhere in a page.
TimedJob random_job(std::mt19937& random) {
  for (;;) {
    TimedJob job;
    Params& params = job.params;
    params.num_pe = power(random, 1, 6);
    params.rows = power(random, 8, 4);
    params.acc_tiles = power(random, 1, 5);
    params.fp4_dual = random() % 2;
    params.a_slab_k = power(random, 32, 7);
    params.b_buf_k = power(random, 32, 6);
    params.b_banks = power(random, 2, 3);
    params.mem_w = power(random, 64, 4);
    params.max_burst = power(random, 1, 8);
    job.timing.latency = 1 + static_cast<unsigned>(random() % (random() % 2 ? 40 : 400));
    const double rates[] = {0, 0, 1, 2, 4, 5.3, 8, 12.8, 32};
    job.timing.bytes_per_cycle = rates[random() % std::size(rates)];
    job.timing.half_duplex = random() % 4 == 0;
    if (random() % 2) job.ports.reads = 1 + static_cast<unsigned>(random() % 128);
    const auto pick = [&](unsigned unit, unsigned most) {
      const auto size = static_cast<uint32_t>(unit * (1 + random() % most));
      return random() % 3 ? size : size - static_cast<uint32_t>(random() % unit);
    };
    job.shape.m = pick(params.rows, 80);
    job.shape.n = pick(params.num_pe, 80);
    const unsigned longest = random() % 3 ? 400 : 2500;
    const unsigned k_units[] = {1, 32, 256, 256, 256};  // rows of multiples of 256 meet pages alike
    const unsigned k_unit = k_units[random() % std::size(k_units)];
    job.shape.k = pick(k_unit, longest / k_unit + 1);
    job.shape.format_a = numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
    job.shape.format_b = numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
    const char* const outputs[] = {"fp32", "fp32", "bf16", "mxfp8_e4m3", "mxfp4_e2m1"};
    job.shape.output = job::parse_output_format(outputs[random() % std::size(outputs)]);
    if (random() % 3 == 0) job.shape.batch = 1 + random() % 4;
    const uint64_t passes = job.shape.batch * (job.shape.m / params.rows + 1) *
                            (job.shape.n / params.num_pe + 1) * (job.shape.k / 32 + 1);
    if (passes > 20'000) continue;
    try {
      params.validate();
      job.shape.require_pair(params);
      return job;
    } catch (const Error&) {
    }
  }
}

TEST(Skip, CannotBeTold) {
  const auto seed = static_cast<uint32_t>(number_from("MXE_SKIP_SEED", 1));
  std::mt19937 random(seed);
  const std::size_t count = number_from("MXE_RANDOM_SKIPS", 300);
  std::size_t skipping = 0;
  for (std::size_t i = 0; i < count; i++) {
    const TimedJob job = random_job(random);
    Onlooker onlooker;
    const JobTimes expected = time_job(job.shape, job.params, job.timing, job.ports, &onlooker);
    const JobTimes got = time_job(job.shape, job.params, job.timing, job.ports);
    const std::string about = fmt::format("seed {}, job {}: {}", seed, i, text_of(job));
    ASSERT_EQ(expected.skipped_cycles, 0u) << about;
    ASSERT_TRUE(same_times(got, expected)) << about;
    if (got.skipped_cycles > 0) skipping++;
  }
  // If few jobs skip cycles, the comparison tests nothing.
  EXPECT_GT(skipping, count / 8);
  RecordProperty("skipping", static_cast<int>(skipping));
}

}  // namespace
}  // namespace mxe::explore
