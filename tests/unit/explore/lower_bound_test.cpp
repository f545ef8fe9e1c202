// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/lower_bound.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "sw/explore/evaluate.h"
#include "sw/explore/job_timer.h"
#include "sw/explore/workload.h"
#include "tests/unit/explore/random_jobs.h"

namespace mxe::explore {
namespace {

template <typename Values>
auto one_of(const Values& values, std::mt19937& random) {
  return values[random() % std::size(values)];
}
template <typename T>
T one_of(std::initializer_list<T> values, std::mt19937& random) {
  return values.begin()[random() % values.size()];
}

Point random_point(std::mt19937& random) {
  for (;;) {
    Point point;
    Params& params = point.params;
    params.num_pe = 1u << random() % 6;
    params.rows = 8u << random() % 4;
    params.acc_tiles = 1u << random() % 4;
    params.fp4_dual = random() % 2;
    params.a_slab_k = 32u << random() % 8;
    params.b_buf_k = 32u << random() % 5;
    params.b_banks = 2u << random() % 3;
    params.mem_w = 64u << random() % 4;
    params.max_burst = one_of({16u, 64u, 256u}, random);
    point.timing.latency = one_of({1u, 2u, 16u, 64u, 200u, 400u}, random);
    if (random() % 3 == 0) {
      point.timing.bytes_per_cycle = one_of({1.0, 3.0, 8.0, 13.0, 40.0}, random);
    }
    point.timing.half_duplex = random() % 4 == 0;
    point.ports.reads = one_of({1u, 16u, 64u, 200u}, random);
    point.ports.writes = one_of({1u, 16u, 64u, 200u}, random);
    try {
      validate(point);
      return point;
    } catch (const Error&) {
    }
  }
}

job::JobShape random_shape(std::mt19937& random) {
  const auto length = [&](std::size_t most) {
    const std::size_t limits[] = {8, 40, most};
    return 1 + random() % one_of(limits, random);
  };
  job::JobShape shape;
  shape.m = length(200);
  shape.n = length(400);
  shape.k = length(2000);
  shape.format_a = one_of(numerics::kAllFormats, random);
  shape.format_b = one_of(numerics::kAllFormats, random);
  const char* const outputs[] = {"fp32", "bf16", "fp16", "mxfp8_e4m3", "mxfp4_e2m1"};
  shape.output = job::parse_output_format(one_of(outputs, random));
  if (random() % 4 == 0) shape.batch = 1 + random() % 4;
  return shape;
}

/// Number of jobs whose cycles, minus `cut`, are below their bound.
std::size_t jobs_below(std::size_t jobs, uint32_t seed, uint64_t cut) {
  std::mt19937 random(seed);
  std::size_t below = 0;
  for (std::size_t i = 0; i < jobs; i++) {
    const Point point = random_point(random);
    const job::JobShape shape = random_shape(random);
    const uint64_t cycles = time_job(shape, point.params, point.timing, point.ports).cycles;
    const uint64_t bound = lower_bound_cycles(shape, point);
    below += cycles - cut < bound;
    EXPECT_LE(roofline_cycles(shape, point), static_cast<double>(cycles));
  }
  return below;
}

TEST(LowerBound, NoJobIsBelow) {
  // Long check: MXE_BOUND_JOBS=1000000 MXE_BOUND_SEED=...
  const std::size_t jobs = number_from("MXE_BOUND_JOBS", 1500);
  const auto seed = static_cast<uint32_t>(number_from("MXE_BOUND_SEED", 1));
  std::printf("%zu jobs, seed %u\n", jobs, static_cast<unsigned>(seed));
  EXPECT_EQ(jobs_below(jobs, seed, 0), 0u);
}

TEST(LowerBound, TheCheckCanFail) { EXPECT_GT(jobs_below(1500, 1, 20), 0u); }

// Cycles of every job in addition to multiplications, three latencies and waiting.
constexpr uint64_t kStepsOfEveryJob = 36;

// The closed form leaves out waiting alone, so it equals the model where nothing waits.
TEST(LowerBound, MissesNothingButWaiting) {
  std::mt19937 random(2);
  std::size_t exact = 0;
  for (int i = 0; i < 1500; i++) {
    const Point point = random_point(random);
    job::JobShape shape = random_shape(random);
    if (i % 10 == 0) shape.m = shape.n = shape.batch = 1;
    if (i % 10 == 0) shape.k = 1 + random() % 32;
    const JobTimes times = time_job(shape, point.params, point.timing, point.ports);
    const uint64_t bound = lower_bound_cycles(shape, point);
    const uint64_t without_waits =
        times.counters.mac_active + 3 * uint64_t{point.timing.latency} + kStepsOfEveryJob;
    EXPECT_GE(bound, without_waits) << i;
    if (times.cycles != without_waits) continue;
    EXPECT_EQ(bound, times.cycles) << i;
    exact++;
  }
  EXPECT_GT(exact, 10u);
}

TEST(LowerBound, IsMetWhereNothingWaits) {
  for (const char* config : {"base", "large"}) {
    for (const unsigned latency : {1u, 64u, 400u}) {
      Point point;
      point.params = Params::named(config);
      point.timing.latency = latency;
      job::JobShape shape;
      shape.m = shape.n = 1;
      shape.k = 32;
      EXPECT_EQ(lower_bound_cycles(shape, point),
                time_job(shape, point.params, point.timing, point.ports).cycles);
    }
  }
}

// The array waits only for its first operands and its last results.
TEST(LowerBound, IsNearWhereTheArrayIsBusy) {
  Point point;
  point.timing.latency = 64;
  job::JobShape shape;
  shape.m = shape.n = shape.k = 2048;
  const auto cycles =
      static_cast<double>(time_job(shape, point.params, point.timing, point.ports).cycles);
  EXPECT_GT(static_cast<double>(lower_bound_cycles(shape, point)), 0.999 * cycles);
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
TEST(LowerBound, HundredThousandPointsASecond) {
  const Workload net = read_workload(std::string(MXE_WORKLOADS) + "/resnet50_b1.csv");
  ASSERT_EQ(net.layers.size(), 54u);
  std::mt19937 random(3);
  std::vector<Point> points;
  for (int i = 0; i < 50'000; i++) points.push_back(random_point(random));
  const std::clock_t begin = std::clock();
  double sum = 0;
  for (const Point& point : points) sum += lower_bound_cycles(net, point);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double rate = static_cast<double>(points.size()) / seconds;
  std::printf("%.0f points of ResNet-50 a second, %.3g cycles\n", rate, sum);
  EXPECT_GT(rate, 100'000);
}
#endif

}  // namespace
}  // namespace mxe::explore
