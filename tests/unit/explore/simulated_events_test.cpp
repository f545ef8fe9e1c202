// SPDX-License-Identifier: Apache-2.0
// Passes and row fetches that the model simulates before it finds a period to skip.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sw/explore/job_timer.h"

namespace mxe::explore {
namespace {

struct Case {
  const char* config;
  std::size_t m, n, k;
  const char *format_a, *format_b, *output;
  std::size_t batch;
  unsigned latency;
  double bytes_per_cycle;
  uint64_t passes, fetches;  // simulated; lower them when the model finds a period earlier
};

const Case kCases[] = {
    {"base", 512, 512, 512, "mxfp8_e4m3", "mxfp8_e4m3", "fp32", 1, 32, 0, 448, 705},
    {"base", 2048, 4096, 4096, "mxfp8_e4m3", "mxfp8_e4m3", "fp32", 1, 32, 0, 4608, 6913},
    {"base", 2048, 4096, 14336, "mxfp4_e2m1", "mxfp4_e2m1", "bf16", 1, 100, 8, 8064, 12097},
    {"base", 8, 4096, 4096, "mxfp8_e4m3", "mxfp4_e2m1", "fp32", 1, 32, 0, 640, 337},
    {"base", 1, 14336, 4096, "mxfp8_e4m3", "mxfp8_e4m3", "mxfp8_e4m3", 1, 100, 12.8, 32768, 32771},
    {"small", 640, 64, 64, "mxint8", "mxfp4_e2m1", "mxfp4_e2m1", 4, 32, 0, 544, 2449},
    {"large", 3136, 64, 576, "mxfp8_e4m3", "mxfp8_e4m3", "bf16", 1, 64, 0, 1764, 25089},
    {"large", 512, 2048, 2048, "mxfp4_e2m1", "mxfp4_e2m1", "fp32", 1, 200, 32, 672, 5889},
    {"large", 197, 3072, 768, "mxfp6_e3m2", "mxfp8_e5m2", "fp32", 1, 32, 0, 3072, 24971},
};

TEST(SimulatedEvents, AreAsFewAsRecorded) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(fmt::format("{}: {} x {} x {}, {} by {} to {}", one.config, one.m, one.n, one.k,
                             one.format_a, one.format_b, one.output));
    job::JobShape shape;
    shape.m = one.m;
    shape.n = one.n;
    shape.k = one.k;
    shape.format_a = numerics::parse_format(one.format_a);
    shape.format_b = numerics::parse_format(one.format_b);
    shape.output = job::parse_output_format(one.output);
    shape.batch = one.batch;
    engine::MemoryTiming timing;
    timing.latency = one.latency;
    timing.bytes_per_cycle = one.bytes_per_cycle;
    const JobTimes times = time_job(shape, Params::named(one.config), timing, engine::PortLimits{});
    EXPECT_EQ(times.simulated_passes, one.passes);
    EXPECT_EQ(times.simulated_fetches, one.fetches);
  }
}

}  // namespace
}  // namespace mxe::explore
