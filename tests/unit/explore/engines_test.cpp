// SPDX-License-Identifier: Apache-2.0
// Several engines in a space, compared with the SystemC model of engines that share a memory.
#include "sw/explore/engines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <vector>

#include "model/job/split.h"
#include "model/platform/device/team.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/space.h"

namespace mxe::explore {
namespace {

struct Product {
  std::size_t m, n, k;
};
constexpr Product kProducts[] = {{256, 256, 256}, {256, 256, 64},  {1, 2048, 1024},
                                 {64, 1024, 96},  {100, 300, 500}, {1, 512, 4096}};
constexpr unsigned kPort = 32;  // bytes per cycle of `base`

job::JobShape shape_of(const Product& product) {
  job::JobShape shape;
  shape.m = product.m;
  shape.n = product.n;
  shape.k = product.k;
  return shape;
}

Point point_of(unsigned engines, double bytes_per_cycle) {
  Point point;
  point.params = Params::named("base");
  point.engines = engines;
  point.timing.latency = 64;
  point.timing.bytes_per_cycle = bytes_per_cycle;
  return point;
}

device::EngineSetup setup_of(const Point& point) {
  device::EngineSetup setup;
  setup.params = point.params;
  setup.timing = point.timing;
  setup.ports = point.ports;
  setup.mode = engine::Mode::timing;
  return setup;
}

// docs/exploration-check.md names this bound.
constexpr double kMostError = 0.2;

void compare(const Product& product, const Point& point, device::Team& team, TimedJobs& jobs) {
  SCOPED_TRACE(testing::Message() << product.m << " x " << product.n << " x " << product.k << ", "
                                  << point.engines << " engines, " << point.timing.bytes_per_cycle
                                  << " bytes per cycle");
  const job::JobShape shape = shape_of(product);
  const JobTimes times = product_times(shape, point, jobs);
  const device::TeamResult simulated =
      team.run(job::split_job(shape, job::SplitAxis::n, point.engines, point.params));
  const double error =
      static_cast<double>(times.cycles) / static_cast<double>(simulated.cycles()) - 1;
  EXPECT_LE(std::abs(error), kMostError) << times.cycles << " and " << simulated.cycles();
  uint64_t read = 0, written = 0;
  for (const device::TeamResult::Member& member : simulated.members) {
    read += member.result.counter("bytes_read");
    written += member.result.counter("bytes_written");
  }
  EXPECT_EQ(times.counters.bytes_read, read);
  EXPECT_EQ(times.counters.bytes_written, written);
}

TEST(Engines, CyclesAreNearlyThoseOfATeam) {
  std::vector<Point> points;
  for (const double rate : {kPort * 1., kPort * 4.}) {
    for (const unsigned engines : {2u, 4u, 8u}) points.push_back(point_of(engines, rate));
  }
  std::deque<device::Team> teams;  // all before the first run: SystemC elaborates once
  for (const Point& point : points) {
    teams.emplace_back(device::Target::model, setup_of(point), point.engines);
  }
  TimedJobs jobs;
  for (std::size_t i = 0; i < points.size(); i++) {
    for (const Product& product : kProducts) compare(product, points[i], teams[i], jobs);
  }
}

TEST(Engines, OneEngineIsThatOfAJob) {
  TimedJobs jobs;
  const Point point = point_of(1, 8);
  for (const Product& product : kProducts) {
    const job::JobShape shape = shape_of(product);
    EXPECT_EQ(product_times(shape, point, jobs).cycles,
              time_job(shape, point.params, point.timing, point.ports).cycles);
    EXPECT_EQ(product_lower_bound(shape, point), lower_bound_cycles(shape, point));
  }
}

TEST(Engines, NothingIsBelowTheLowerBound) {
  TimedJobs jobs;
  for (const double rate : {0., 8., kPort * 8.}) {
    for (const unsigned engines : {1u, 2u, 3u, 8u}) {
      const Point point = point_of(engines, rate);
      for (const Product& product : kProducts) {
        const job::JobShape shape = shape_of(product);
        const uint64_t cycles = product_times(shape, point, jobs).cycles;
        EXPECT_LE(product_lower_bound(shape, point), cycles);
        EXPECT_LE(roofline_cycles(shape, point, engines), static_cast<double>(cycles));
      }
    }
  }
}

// 20 columns are 3 tiles of 8: five of eight engines are idle, and three share the bandwidth.
TEST(Engines, AtMostOneForEachTile) {
  TimedJobs jobs;
  const job::JobShape shape = shape_of({64, 20, 256});
  const auto cycles = [&](unsigned engines) {
    return product_times(shape, point_of(engines, kPort * 8), jobs).cycles;
  };
  EXPECT_EQ(cycles(8), cycles(3));
  EXPECT_LT(cycles(3), cycles(2));
  EXPECT_LT(cycles(2), cycles(1));
}

TEST(Engines, AreaIsThatOfAll) {
  const Area one = area_of(point_of(1, 0)), four = area_of(point_of(4, 0));
  EXPECT_DOUBLE_EQ(four.gate_equivalents, 4 * one.gate_equivalents);
  EXPECT_DOUBLE_EQ(four.sram_kib, 4 * one.sram_kib);
  EXPECT_DOUBLE_EQ(one.total(), AreaTable::shipped().of(Params::named("base")).total());
}

TEST(Engines, SharedMemoriesThatHaveNoModel) {
  const auto reasons = [](const std::string& memory) {
    const Space::Points found =
        Space::from_text("parameters: {engines: [1, 2], " + memory + "}\n", "space.yaml").points();
    EXPECT_EQ(found.points.size(), 1u);
    return found.skipped.reasons().at(0).text;
  };
  EXPECT_EQ(reasons("memory: ddr4-3200"),
            "several engines cannot share a DRAM; allowed: one engine");
  EXPECT_EQ(reasons("mem_half_duplex: 1"),
            "several engines cannot share a half-duplex memory; allowed: one engine");
}

}  // namespace
}  // namespace mxe::explore
