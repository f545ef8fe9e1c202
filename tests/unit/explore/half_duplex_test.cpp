// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "model/engine/memory/memory_timing.h"
#include "sw/explore/job_timer.h"
#include "sw/explore/lower_bound.h"
#include "tests/unit/explore/random_jobs.h"

namespace mxe::explore {
namespace {

engine::MemoryTiming timing_of(unsigned latency, double bytes_per_cycle) {
  engine::MemoryTiming timing;
  timing.latency = latency;
  timing.bytes_per_cycle = bytes_per_cycle;
  timing.half_duplex = true;
  return timing;
}

// Computed by hand: beats of 32 bytes at 8 bytes per cycle occupy the memory for 4 cycles each.
//   cycle   10    14    18    22    26    30 .. 40    44    48
//           R0.0  R0.1  W0    R1    W1    idle  R2    W2
TEST(HalfDuplex, RequestsShareTheMemory) {
  engine::MemoryChannels memory(timing_of(10, 8));
  const engine::BeatTimes r0 = memory.read().serve(0, 2, 32);   // ready in cycle 10
  const engine::BeatTimes w0 = memory.write().serve(1, 1, 32);  // ready in 11, but R0 ends in 18
  const engine::BeatTimes r1 = memory.read().serve(5, 1, 32);   // ready in 15, but W0 ends in 22
  const engine::BeatTimes r2 =
      memory.read().serve(30, 1, 32);  // ready in 40; the memory is idle from 30
  EXPECT_EQ(r0.beat(0), 10u);
  EXPECT_EQ(r0.beat(1), 14u);
  EXPECT_EQ(w0.beat(0), 18u);
  EXPECT_EQ(r1.beat(0), 22u);
  // Calls may come out of order: in cycle 26 the memory was free.
  EXPECT_EQ(memory.write().serve(15, 1, 32).beat(0), 26u);
  EXPECT_EQ(r2.beat(0), 40u);
  EXPECT_EQ(memory.write().serve(32, 1, 32).beat(0), 44u);  // ready in 42, but R2 ends in 44
  memory.restart();
  EXPECT_EQ(memory.write().serve(0, 1, 32).beat(0), 10u);
}

TEST(HalfDuplex, AFullDuplexMemoryServesBothDirectionsAtOnce) {
  engine::MemoryTiming timing = timing_of(10, 8);
  timing.half_duplex = false;
  engine::MemoryChannels memory(timing);
  EXPECT_EQ(memory.read().serve(0, 2, 32).beat(1), 14u);
  EXPECT_EQ(memory.write().serve(1, 1, 32).beat(0), 11u);
  EXPECT_EQ(memory.read().serve(5, 1, 32).beat(0), 18u);
}

// At 64 bytes per cycle a beat occupies the memory for half a cycle, its direction for a full one.
TEST(HalfDuplex, APortMovesABeatACycleInEachDirection) {
  engine::MemoryChannels memory(timing_of(10, 64));
  const engine::BeatTimes read = memory.read().serve(0, 4, 32);
  EXPECT_EQ(read.beat(0), 10u);
  EXPECT_EQ(read.beat(3), 13u);
  EXPECT_EQ(memory.write().serve(0, 2, 32).beat(0), 12u);  // after the two cycles of four beats
  EXPECT_EQ(memory.read().serve(0, 1, 32).beat(0), 14u);   // after the beats of its direction
}

// A job of one row and column has finished its reads before it writes.
TEST(HalfDuplex, AJobThatReadsBeforeItWritesTakesTheSame) {
  job::JobShape shape;
  shape.m = shape.n = 1;
  shape.k = 32;
  engine::MemoryTiming timing = timing_of(50, 0);
  const uint64_t half = time_job(shape, Params(), timing, {}).cycles;
  timing.half_duplex = false;
  EXPECT_EQ(half, time_job(shape, Params(), timing, {}).cycles);
}

// At least the cycles with full duplex, less 20, and those of all bytes; at most full duplex, the
// writes and 200 cycles.
TEST(HalfDuplex, RandomJobsLieBetweenTheirLimits) {
  std::mt19937 random(5);
  double slowest = 0;
  for (std::size_t i = 0; i < number_from("MXE_HALF_DUPLEX_JOBS", 400); i++) {
    Point point;
    point.params.num_pe = power(random, 2, 4);
    point.params.rows = 32;
    point.params.mem_w = power(random, 64, 4);
    const double rates[] = {0, 3, 8, 12.8, 40, 200};
    point.timing =
        timing_of(1 + static_cast<unsigned>(random() % 100), rates[random() % std::size(rates)]);
    job::JobShape shape;
    shape.m = 1 + random() % 150;
    shape.n = 1 + random() % 150;
    shape.k = 1 + random() % (random() % 2 ? 64 : 900);
    const JobTimes half = time_job(shape, point.params, point.timing, point.ports);
    const double read = static_cast<double>(half.counters.bytes_read),
                 written = static_cast<double>(half.counters.bytes_written);
    // bytes_written has the completion record, which follows the last counted cycle.
    const double bytes = transfer(read, written - point.params.mem_bytes(), point).cycles();
    point.timing.half_duplex = false;
    const JobTimes full = time_job(shape, point.params, point.timing, point.ports);
    const std::string text = text_of({shape, point.params, point.timing, point.ports});
    EXPECT_GE(half.cycles + 20, full.cycles) << text;
    EXPECT_GE(static_cast<double>(half.cycles), bytes) << text;
    const double rate =
        point.timing.bytes_per_cycle == 0 ? point.params.mem_bytes() : point.timing.bytes_per_cycle;
    // Each tile writes its rows separately, in beats that need not be full.
    const std::size_t tiles = (shape.n + point.params.num_pe - 1) / point.params.num_pe;
    const double row = 4.0 * point.params.num_pe + 2.0 * point.params.mem_bytes();
    const double writes = static_cast<double>(shape.m * tiles) * row / rate;
    EXPECT_LE(static_cast<double>(half.cycles), static_cast<double>(full.cycles) + writes + 200)
        << text;
    slowest =
        std::max(slowest, static_cast<double>(half.cycles) / static_cast<double>(full.cycles));
  }
  EXPECT_GT(slowest, 1.3);  // otherwise these jobs do not test sharing
}

}  // namespace
}  // namespace mxe::explore
