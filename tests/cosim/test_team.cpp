// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "model/job/split.h"
#include "model/numerics/base/error.h"
#include "model/numerics/base/random.h"
#include "model/platform/device/device.h"
#include "model/platform/device/team.h"

namespace mxe::test {
namespace {

job::JobShape shape(std::size_t m, std::size_t n, std::size_t k) {
  job::JobShape shape;
  shape.m = m;
  shape.n = n;
  shape.k = k;
  return shape;
}

device::EngineSetup setup(const char* config, unsigned latency, double bandwidth = 0,
                          bool cycles_only = true) {
  device::EngineSetup setup;
  setup.params = Params::named(config);
  setup.timing.latency = latency;
  setup.timing.bytes_per_cycle = bandwidth;
  setup.mode = cycles_only ? engine::Mode::timing : engine::Mode::functional;
  return setup;
}

TEST(Team, OfOneIsADevice) {
  struct Pair {
    std::unique_ptr<device::Team> team;
    device::Device device;
  };
  std::vector<Pair> pairs;  // all exist before the first one runs
  for (const double bandwidth : {0.0, 7.7}) {
    for (const uint64_t jitter : {uint64_t{0}, uint64_t{9}}) {
      device::EngineSetup engine = setup("base", 64, bandwidth);
      engine.timing.jitter_seed = jitter;
      pairs.push_back({std::make_unique<device::Team>(device::Target::model, engine, 1),
                       device::Device(device::Target::model, engine)});
    }
  }
  for (Pair& pair : pairs) {
    for (const job::JobShape& job : {shape(70, 90, 300), shape(1, 200, 600), shape(64, 64, 32)}) {
      const device::DeviceResult alone = pair.device.run(job);
      const device::TeamResult team = pair.team->run(std::vector<job::JobShape>{job});
      EXPECT_EQ(team.cycles(), alone.cycles);
      EXPECT_EQ(team.members[0].result.counters, alone.counters);
      EXPECT_EQ(team.members[0].reads_waited + team.members[0].writes_waited, 0u);
    }
  }
}

TEST(Team, SharesTheBandwidth) {
  // A matrix-vector product always reads: at the same bandwidth two engines take twice as long.
  device::Device device(device::Target::model, setup("base", 64, 8));
  device::Team narrow(device::Target::model, setup("base", 64, 8), 2),
      wide(device::Target::model, setup("base", 64, 16), 2);
  const job::JobShape job = shape(1, 256, 2048);
  const auto alone = static_cast<double>(device.run(job).cycles);
  const device::TeamResult shared = narrow.run({job, job}), enough = wide.run({job, job});
  EXPECT_NEAR(static_cast<double>(shared.cycles()) / alone, 2, 0.05);
  for (const device::TeamResult::Member& member : shared.members) {
    EXPECT_NEAR(static_cast<double>(member.result.cycles) / alone, 2, 0.1) << "unfair";
    EXPECT_GT(member.reads_waited, 0u);
  }
  EXPECT_LT(static_cast<double>(enough.cycles()) / alone, 1.05);
}

TEST(Team, SplitsAboutEvenly) {
  const Params params = Params::named("base");
  const auto sizes = [&](const job::JobShape& job, job::SplitAxis axis, unsigned engines) {
    std::vector<std::size_t> all;
    for (const job::JobShape& part : job::split_job(job, axis, engines, params)) {
      all.push_back(axis == job::SplitAxis::m ? part.m : part.n);
      EXPECT_EQ(part.k, job.k);
      EXPECT_EQ(axis == job::SplitAxis::m ? part.n : part.m,
                axis == job::SplitAxis::m ? job.n : job.m);
    }
    return all;
  };
  EXPECT_EQ(sizes(shape(33, 8, 5), job::SplitAxis::m, 2), (std::vector<std::size_t>{16, 17}));
  EXPECT_EQ(sizes(shape(3, 44, 5), job::SplitAxis::n, 4), (std::vector<std::size_t>{8, 16, 8, 12}));
  job::JobShape blocks = shape(3, 100, 5);
  blocks.output = job::parse_output_format("mxfp8_e4m3");
  EXPECT_EQ(sizes(blocks, job::SplitAxis::n, 2), (std::vector<std::size_t>{64, 36}));
  EXPECT_THROW(job::split_job(shape(3, 8, 5), job::SplitAxis::n, 2, params), Error);
  EXPECT_THROW(job::split_job(shape(3, 800, 5), job::SplitAxis::m, 4, params), Error);
}

job::Job random_job(std::size_t m, std::size_t n, std::size_t k, uint64_t seed) {
  Random random(seed);
  const auto tensor = [&](std::size_t rows) {
    numerics::MxTensor codes;
    codes.format = numerics::FormatId::mxfp4_e2m1;
    codes.rows = rows;
    codes.k = k;
    for (std::size_t i = 0; i < rows * k; i++) {
      codes.codes.push_back(static_cast<uint8_t>(random.uniform(0, 15)));
    }
    for (std::size_t i = 0; i < rows * ((k + 31) / 32); i++) {
      codes.scales.push_back(static_cast<uint8_t>(120 + random.uniform(0, 15)));
    }
    return codes;
  };
  job::Job job;
  job.a = tensor(m);
  job.b = tensor(n);
  return job;
}

/// Expects the golden bytes of each job.
void expect_golden(const std::vector<job::Job>& jobs, const device::TeamResult& result,
                   const Params& params) {
  for (std::size_t i = 0; i < jobs.size(); i++) {
    const job::StoredOutput golden = jobs[i].golden(job::engine_sums(params.fp4_dual != 0));
    EXPECT_EQ(result.members[i].result.output.bytes, golden.bytes) << "engine " << i;
  }
}

std::vector<job::Job> jobs_of(unsigned engines, std::size_t m, std::size_t n, std::size_t k) {
  std::vector<job::Job> jobs;
  for (unsigned i = 0; i < engines; i++) jobs.push_back(random_job(m, n + i, k, 11 + i));
  return jobs;
}

TEST(Team, ResultsAreTheReferences) {
  const device::EngineSetup engine = setup("small", 32, 0, false);
  device::Team team(device::Target::model, engine, 3);
  for (const std::size_t k : {std::size_t{40}, std::size_t{700}}) {
    const std::vector<job::Job> jobs = jobs_of(3, 30, 20, k);
    expect_golden(jobs, team.run(jobs), engine.params);
  }
}

/// Products that share B and have different rows of A, or share A and have different columns of B.
std::vector<job::Job> jobs_with(device::Team::Common common, unsigned engines, std::size_t m,
                                std::size_t n, std::size_t k) {
  std::vector<job::Job> jobs;
  for (unsigned i = 0; i < engines; i++) {
    job::Job& job = jobs.emplace_back(random_job(m, n, k, 31 + i));
    if (common == device::Team::Common::a) job.a = jobs[0].a;
    if (common == device::Team::Common::b) job.b = jobs[0].b;
  }
  return jobs;
}

TEST(Team, ReadsWhatTheyHaveInCommonOnce) {
  // The engines request the same data at about the same time only with settings like these.
  const device::EngineSetup engine = setup("small", 32, 5, false);
  device::Team apart(device::Target::model, engine, 3);
  device::Team of_one_a(device::Target::model, engine, 3, device::Team::Common::a);
  device::Team of_one_b(device::Target::model, engine, 3, device::Team::Common::b);
  const std::vector<job::Job> one_a = jobs_with(device::Team::Common::a, 3, 40, 4, 900);
  const std::vector<job::Job> one_b = jobs_with(device::Team::Common::b, 3, 4, 40, 900);
  for (const auto& [team, jobs] : {std::pair(&of_one_a, &one_a), std::pair(&of_one_b, &one_b)}) {
    const device::TeamResult once = team->run(*jobs), each = apart.run(*jobs);
    expect_golden(*jobs, once, engine.params);
    expect_golden(*jobs, each, engine.params);
    EXPECT_LT(once.cycles(), each.cycles() * 9 / 10);
  }
}

TEST(Team, RefusesJobsThatDifferInTheCommonOperand) {
  const device::EngineSetup engine = setup("small", 32, 5, false);
  device::Team of_one_a(device::Target::model, engine, 2, device::Team::Common::a);
  std::vector<job::Job> jobs = jobs_with(device::Team::Common::a, 2, 8, 4, 64);
  jobs[1].a.codes[5] ^= 1;
  EXPECT_THROW(of_one_a.run(jobs), Error);
  EXPECT_THROW(of_one_a.run({shape(8, 4, 64), shape(8, 4, 96)}), Error);
}

TEST(Team, OfFourIsFourTimesAsFastWithOneB) {
  device::Device device(device::Target::model, setup("base", 64, 32));
  device::Team team(device::Target::model, setup("base", 64, 32), 4, device::Team::Common::b);
  const auto alone = static_cast<double>(device.run(shape(512, 512, 512)).cycles);
  const job::JobShape part = shape(128, 512, 512);
  const device::TeamResult result = team.run({part, part, part, part});
  EXPECT_GT(alone / static_cast<double>(result.cycles()), 0.95 * 4);
}

#ifdef MXE_WITH_RTL
// If writes of several engines meet, model and RTL may serve them in another order (docs/model.md).
TEST(Team, OfTheRtlAgreesWithTheModel) {
  struct Pair {
    unsigned engines;
    device::EngineSetup engine;
    std::unique_ptr<device::Team> model, rtl;
    device::Team::Common common = device::Team::Common::nothing;
  };
  std::vector<Pair> pairs;
  for (const device::Team::Common common : {device::Team::Common::a, device::Team::Common::b}) {
    const device::EngineSetup engine = setup("small", 50, 7, false);
    pairs.push_back(
        {4, engine, std::make_unique<device::Team>(device::Target::model, engine, 4, common),
         std::make_unique<device::Team>(device::Target::rtl, engine, 4, common), common});
  }
  for (const unsigned engines : {1u, 2u, 4u}) {
    for (const double bandwidth : {0.0, 20.0}) {
      const device::EngineSetup engine = setup("small", 50, bandwidth, false);
      pairs.push_back({engines, engine,
                       std::make_unique<device::Team>(device::Target::model, engine, engines),
                       std::make_unique<device::Team>(device::Target::rtl, engine, engines)});
    }
  }
  for (Pair& pair : pairs) {
    SCOPED_TRACE(testing::Message() << pair.engines << " engines");
    for (const auto& [m, n, k] :
         {std::array<std::size_t, 3>{1, 40, 900}, {30, 33, 500}, {9, 70, 64}}) {
      SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
      const std::vector<job::Job> jobs = pair.common == device::Team::Common::nothing
                                             ? jobs_of(pair.engines, m, n, k)
                                             : jobs_with(pair.common, pair.engines, m, n, k);
      const device::TeamResult model = pair.model->run(jobs), rtl = pair.rtl->run(jobs);
      expect_golden(jobs, model, pair.engine.params);
      expect_golden(jobs, rtl, pair.engine.params);
      for (unsigned i = 0; i < pair.engines; i++) {
        const uint64_t expected = model.members[i].result.cycles,
                       got = rtl.members[i].result.cycles;
        const bool writes_meet = pair.engines > 1 && k < 100;
        const double error = static_cast<double>(got) / static_cast<double>(expected) - 1;
        EXPECT_LE(std::abs(error), writes_meet ? 0.02 : 0) << "engine " << i;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace mxe::test
