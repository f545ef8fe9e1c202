// SPDX-License-Identifier: Apache-2.0
// Model and RTL side by side: bytes, statuses, counters and, without random back-pressure, cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tb/cosim/cosim.h"
#include "tb/cosim/job_generator.h"
#include "tests/cosim/odd_designs.h"

namespace mxe::test {

namespace {

struct Scenario {
  std::string name;
  std::string config = "small";
  int jobs = 200;
  uint64_t seed = 1;
  unsigned latency = 32;
  double bytes_per_cycle = 0;
  uint64_t jitter = 0;
  uint64_t back_pressure = 0;
  unsigned ring = 8;
  bool poll = false;
  engine::PortLimits ports = {};
  cosim::JobMix mix = {};
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
std::string name_of(const testing::TestParamInfo<Scenario>& test) { return test.param.name; }

cosim::CoSimOptions options_of(const Scenario& s) {
  cosim::CoSimOptions options;
  if (const std::optional<OddDesign> odd = odd_design(s.config)) {
    options.params = odd->params;
    options.rtl.make_top = odd->make_top;
  } else {
    options.params = Params::named(s.config);
  }
  options.timing.latency = s.latency;
  options.timing.bytes_per_cycle = s.bytes_per_cycle;
  options.timing.jitter_seed = s.jitter;
  options.rtl.ports = s.ports;
  options.rtl.back_pressure_seed = s.back_pressure;
  options.ring_entries = std::min(s.ring, options.params.queue_depth);
  options.poll = s.poll;
  // The model has no random back-pressure, so times are not compared.
  if (s.back_pressure != 0) options.cycle_tolerance = -1;
  return options;
}

void expect_agreement(const cosim::CoSim& cosim, const std::string& how) {
  for (const cosim::Mismatch& mismatch : cosim.mismatches()) {
    ADD_FAILURE() << how << ", " << mismatch.engine << ", job " << mismatch.job << ": "
                  << mismatch.what;
  }
}

class RandomJobs : public testing::TestWithParam<Scenario> {};

TEST_P(RandomJobs, Agree) {
  const Scenario& scenario = GetParam();
  const std::string how = "scenario " + scenario.name + ", seed " + std::to_string(scenario.seed);
  const cosim::CoSimOptions options = options_of(scenario);
  cosim::CoSim cosim(options);
  cosim::JobGenerator generator(options.params, scenario.seed, scenario.mix);
  Random random(scenario.seed);
  for (int done = 0; done < scenario.jobs && cosim.mismatches().empty();) {
    std::vector<cosim::CosimJob> jobs;
    const int count = static_cast<int>(random.uniform(1, 2 * options.ring_entries));
    for (int i = 0; i < count; i++) jobs.push_back(generator.next());
    cosim.run(jobs);
    done += count;
  }
  expect_agreement(cosim, how);
  RecordProperty("jobs", static_cast<int>(cosim.cycles().size()));
  RecordProperty("rtl_cycles", std::to_string(cosim.rtl_cycles()));
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  const auto add = [&](const char* name, auto... changes) {
    Scenario s;
    s.name = name;
    s.seed = 1000 + all.size();
    (changes(s), ...);
    all.push_back(s);
  };
  const auto jobs = [](int n) { return [n](Scenario& s) { s.jobs = n; }; };
  const auto config = [](const char* c) { return [c](Scenario& s) { s.config = c; }; };
  const auto latency = [](unsigned n) { return [n](Scenario& s) { s.latency = n; }; };
  const auto rate = [](double r) { return [r](Scenario& s) { s.bytes_per_cycle = r; }; };
  const auto jitter = [](uint64_t n) { return [n](Scenario& s) { s.jitter = n; }; };
  const auto pressure = [](uint64_t n) { return [n](Scenario& s) { s.back_pressure = n; }; };
  const auto ring = [](unsigned n) { return [n](Scenario& s) { s.ring = n; }; };
  const auto poll = [](Scenario& s) { s.poll = true; };
  const auto ports = [](unsigned r, unsigned w) {
    return [r, w](Scenario& s) { s.ports = {r, w}; };
  };
  const auto deep = [](Scenario& s) { s.mix = {80, 80, 2200, 30000}; };

  const auto wide = [](Scenario& s) { s.mix = {140, 200, 200, 30000}; };

  add("Default", jobs(500));
  add("DefaultAgain", jobs(500));
  add("LatencyOne", latency(1), jobs(300));
  add("LatencyLong", latency(300), jobs(100));
  add("BandwidthQuarter", rate(4));
  add("BandwidthFraction", rate(12.8));
  add("Jitter", jitter(1), jobs(300));
  add("JitterAndBandwidth", jitter(2), rate(7.3), latency(90));
  add("FewOutstanding", ports(2, 1), jobs(100));
  add("BackPressure", pressure(1), jobs(300));
  add("BackPressureAndJitter", pressure(2), jitter(3), latency(5), jobs(300));
  add("BackPressureFewOutstanding", pressure(3), ports(3, 2));
  add("Polling", poll, jitter(4));
  add("RingOfOne", ring(1));
  add("RingOfSixteen", ring(16), latency(10));
  add("Base", config("base"), jobs(120));
  add("BaseDeep", config("base"), deep, jobs(40));
  add("BaseBackPressure", config("base"), pressure(4), jitter(5), jobs(60));
  add("Narrow", config("narrow"));
  add("NarrowBackPressure", config("narrow"), pressure(5), jobs(100));
  add("Segments", config("segments"));
  add("SegmentsLatencyOne", config("segments"), latency(1), rate(3));
  add("SegmentsBackPressure", config("segments"), pressure(6), jobs(100));
  add("Beats", config("beats"));
  add("BeatsLatencyOne", config("beats"), latency(1), ports(4, 4));
  add("BeatsBackPressure", config("beats"), pressure(7), jobs(100));
  add("Large", config("large"), jobs(24));
  add("LargeBackPressure", config("large"), pressure(8), jobs(16));
  add("Wide", config("wide"), wide, jobs(60));
  add("WideBackPressure", config("wide"), wide, pressure(9), jobs(30));
  return all;
}

INSTANTIATE_TEST_SUITE_P(CoSim, RandomJobs, testing::ValuesIn(scenarios()), name_of);

class AllPairs : public testing::TestWithParam<Scenario> {};

TEST_P(AllPairs, Agree) {
  const Scenario& scenario = GetParam();
  const cosim::CoSimOptions options = options_of(scenario);
  cosim::CoSim cosim(options);
  cosim::JobGenerator generator(options.params, scenario.seed, scenario.mix);
  for (const numerics::FormatId a : numerics::kAllFormats) {
    std::vector<cosim::CosimJob> jobs;
    for (const numerics::FormatId b : numerics::kAllFormats) {
      for (int i = 0; i < scenario.jobs; i++) jobs.push_back(generator.next(a, b));
    }
    cosim.run(jobs);
  }
  expect_agreement(cosim,
                   "all pairs on " + scenario.name + ", seed " + std::to_string(scenario.seed));
  EXPECT_EQ(cosim.cycles().size(), 49u * static_cast<unsigned>(scenario.jobs));
}

std::vector<Scenario> pair_scenarios() {
  Scenario small;
  small.name = "Small";
  small.jobs = 8;
  small.seed = 2000;
  Scenario base = small;
  base.name = "Base";
  base.config = "base";
  base.jobs = 2;
  base.seed = 2001;
  return {small, base};
}

INSTANTIATE_TEST_SUITE_P(CoSim, AllPairs, testing::ValuesIn(pair_scenarios()), name_of);

}  // namespace
}  // namespace mxe::test
