// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/timed_jobs.h"

#include <gtest/gtest.h>

#include <random>

#include "sw/explore/point.h"
#include "tests/unit/explore/random_jobs.h"

namespace mxe::explore {
namespace {

/// A legal job that often uses only a part of the engine.
TimedJob random_job(std::mt19937& random) {
  for (;;) {
    TimedJob job;
    Params& params = job.params;
    params.num_pe = power(random, 1, 7);
    params.rows = power(random, 8, 6);
    params.acc_tiles = power(random, 1, 5);
    params.tree_w = random() % 2 ? 70 : 56;
    params.fp4_dual = random() % 2;
    params.a_slab_k = power(random, 32, 8);
    params.b_buf_k = power(random, 32, 8);
    params.b_banks = power(random, 2, 3);
    params.mem_w = power(random, 64, 4);
    params.queue_depth = power(random, 2, 8);
    params.max_burst = power(random, 1, 9);
    job.timing.latency = 1 + static_cast<unsigned>(random() % 300);
    if (random() % 2) job.timing.bytes_per_cycle = 1 + static_cast<double>(random() % 80);
    job.timing.half_duplex = random() % 3 == 0;
    job.ports.reads = 1 + static_cast<unsigned>(random() % 80);
    job.ports.writes = 1 + static_cast<unsigned>(random() % 80);
    const auto length = [&](unsigned most) { return 1 + random() % (random() % 2 ? 40u : most); };
    job.shape.m = length(300);
    job.shape.n = length(300);
    job.shape.k = length(3000);
    job.shape.format_a = numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
    job.shape.format_b = numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
    const char* const outputs[] = {"fp32", "bf16", "fp16", "mxfp8_e4m3", "mxfp4_e2m1"};
    job.shape.output = job::parse_output_format(outputs[random() % std::size(outputs)]);
    try {
      params.validate();
      job.shape.require_pair(params);
      return job;
    } catch (const Error&) {
    }
  }
}

TEST(TimedJobs, TwinsTakeTheSame) {
  constexpr uint32_t kSeed = 1;
  std::mt19937 random(kSeed);
  std::size_t shrunk = 0;
  const std::size_t count = number_from("MXE_RANDOM_TWINS", 1000);
  for (std::size_t i = 0; i < count; i++) {
    const TimedJob job = random_job(random);
    const TimedJob twin = timing_twin(job);
    shrunk += twin.params != job.params;
    ASSERT_NO_THROW(twin.params.validate());
    const JobTimes expected = time_job(job.shape, job.params, job.timing, job.ports);
    const JobTimes got = time_job(twin.shape, twin.params, twin.timing, twin.ports);
    ASSERT_TRUE(same_times(got, expected))
        << "job " << i << ": " << text_of(job) << ", as " << twin.params.to_string();
  }
  EXPECT_GT(shrunk, count / 2) << "else this says little";
}

TEST(TimedJobs, AlikeJobsAreTimedOnce) {
  TimedJobs jobs;
  TimedJob job;
  job.shape.m = 64;
  job.shape.n = 64;
  job.shape.k = 100;
  const uint64_t cycles = jobs.times(job).cycles;
  job.params.a_slab_k = 4096;
  job.params.acc_tiles = 8;
  job.shape.format_b = numerics::FormatId::mxint8;
  EXPECT_EQ(jobs.times(job).cycles, cycles);
  EXPECT_EQ(jobs.count(), 1u);
  job.timing.latency++;
  EXPECT_NE(jobs.times(job).cycles, cycles);
  EXPECT_EQ(jobs.count(), 2u);
  job.ports.reads = 1;
  EXPECT_NE(jobs.times(job).cycles, cycles);
  job.ports.writes = 1;
  EXPECT_NE(jobs.times(job).cycles, cycles);
  EXPECT_EQ(jobs.count(), 4u);
  job.params.tree_w = 42;
  job.shape.format_b = numerics::FormatId::mxfp8_e5m2;
  EXPECT_THROW(jobs.times(job), Error) << "another engine can, but not this one";
}

}  // namespace
}  // namespace mxe::explore
