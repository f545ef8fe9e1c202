// SPDX-License-Identifier: Apache-2.0
// Jobs timed without SystemC take the same cycles as on the platform.
#include "sw/explore/job_timer.h"

#include <gtest/gtest.h>

#include <random>

#include "model/platform/device/device.h"
#include "mxe_counter_table.h"

namespace mxe::explore {
namespace {

struct Case {
  Params params;
  engine::MemoryTiming timing;
  engine::PortLimits ports;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* config : {"small", "base", "large"}) {
    for (const unsigned latency : {1u, 64u, 400u}) {
      for (const double bandwidth : {0.0, 5.3}) {
        Case one{Params::named(config), {}, {}};
        one.timing.latency = latency;
        one.timing.bytes_per_cycle = bandwidth;
        if (latency == 64) one.ports = {40, 3};
        all.push_back(one);
      }
    }
  }
  return all;
}

job::JobShape random_shape(std::mt19937& random) {
  const auto format = [&] {
    return numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
  };
  job::JobShape shape;
  shape.m = 1 + random() % 150;
  shape.n = 1 + random() % 300;
  shape.k = 1 + random() % (random() % 4 == 0 ? 5000 : 500);
  shape.format_a = format();
  shape.format_b = format();
  const char* const outputs[] = {"fp32", "bf16", "fp16", "mxfp8_e4m3", "mxfp4_e2m1"};
  shape.output = job::parse_output_format(outputs[random() % std::size(outputs)]);
  return shape;
}

TEST(JobTimer, AgreesWithThePlatform) {
  constexpr uint32_t kSeed = 1;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::vector<device::Device> devices;  // all exist before the first one runs
  for (const Case& one : cases()) {
    device::EngineSetup setup;
    setup.params = one.params;
    setup.timing = one.timing;
    setup.ports = one.ports;
    setup.mode = engine::Mode::timing;
    devices.emplace_back(device::Target::model, setup);
  }
  std::size_t i = 0;
  for (const Case& one : cases()) {
    device::Device& device = devices[i++];
    for (int job = 0; job < 20; job++) {
      job::JobShape shape = random_shape(random);
      if (one.params.tree_w < 70) shape.format_a = shape.format_b = numerics::FormatId::mxfp4_e2m1;
      const device::DeviceResult expected = device.run(shape);
      const JobTimes got = time_job(shape, one.params, one.timing, one.ports);
      EXPECT_EQ(got.cycles, expected.cycles);
      for (const CounterInfo& counter : counter_table) {
        EXPECT_EQ(got.counters.*counter.value, expected.counter(counter.name)) << counter.name;
      }
    }
  }
}

}  // namespace
}  // namespace mxe::explore
