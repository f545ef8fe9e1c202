// SPDX-License-Identifier: Apache-2.0
// A DRAM with rows, refresh and turnarounds at the model and at the RTL: the same cycles.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/platform/device/device.h"
#include "model/platform/device/driver_session.h"
#include "model/platform/device/engines.h"
#include "model/platform/dram/presets.h"
#include "model/platform/platform.h"

namespace mxe::test {
namespace {

struct Board {
  std::string memory;
  double clock_mhz = 1000;
  engine::PortLimits ports = {};
  std::string plugin = {};  ///< replaces `memory`
};

device::EngineSetup setup_of(const Board& board) {
  device::EngineSetup setup;
  setup.params = Params::named("small");
  setup.dram = dram::Setup{dram::load_config(board.memory), board.clock_mhz};
  if (!board.plugin.empty()) {
    setup.dram->plugin = std::make_shared<dram::PluginLibrary>(board.plugin);
  }
  setup.ports = board.ports;
  setup.mode = engine::Mode::timing;
  return setup;
}

job::JobShape random_shape(std::mt19937& random) {
  const auto up_to = [&random](unsigned most) {
    return 1 + static_cast<unsigned>(random() % most);
  };
  const auto format = [&] {
    return numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
  };
  job::JobShape shape;
  shape.m = up_to(60);
  shape.n = up_to(40);
  shape.k = up_to(400);
  shape.format_a = format();
  shape.format_b = format();
  const char* const outputs[] = {"fp32", "bf16", "mxfp8_e4m3", "mxfp4_e2m1"};
  shape.output = job::parse_output_format(outputs[random() % std::size(outputs)]);
  return shape;
}

/// An engine, the DRAM and a program that runs all jobs.
struct Side {
  Side(device::Target target, const Board& board, const std::vector<job::JobShape>& jobs)
      : platform(sc_core::sc_gen_unique_name(device::target_name(target)), memory_of(board),
                 [&] { return device::make_engine(target, setup_of(board)); }) {
    platform.host().start([this, &jobs](platform::Host& host) {
      for (const job::JobShape& job : jobs) results.push_back(session.run(host, job));
    });
  }
  static platform::Memory::Config memory_of(const Board& board) {
    platform::Memory::Config config;
    config.dram = setup_of(board).dram;
    return config;
  }

  platform::Platform platform;
  device::DriverSession session;
  std::vector<device::DeviceResult> results;
};

// Both sides run at the same time, because refreshes and edges of tCK depend on it.
TEST(Dram, GivesModelAndRtlTheSameCycles) {
  const std::vector<Board> boards = {
      {"ddr4-3200"},
      {"ddr4-3200:map=ro-ra-ba-bg-ch-co,write_high=2,write_low=0", 1300},
      {"ddr5-4800:channels=2", 700},
      {"lpddr4x-4266:page=closed", 2000, {3, 40}},
      {"hbm2", 1000, {8, 128}},
      {"hbm3:ideal"},
      {"ddr4-3200:controller=fr-fcfs"},
      {"ddr5-4800:controller=fr-fcfs,channels=2,merge_reads=1", 1300},
      {"lpddr4x-4266:controller=fr-fcfs,page=closed", 700, {3, 2}},
      {"hbm2:controller=fr-fcfs,write_queue=8,write_high=6,write_low=2", 433, {8, 128}},
      {"hbm3:ideal,controller=fr-fcfs", 2000},
      {"hbm3", 1100, {5, 60}, MXE_EXAMPLE_PLUGIN}};
  std::mt19937 random(3);
  std::vector<job::JobShape> jobs;
  for (int i = 0; i < 6; i++) jobs.push_back(random_shape(random));
  std::vector<std::unique_ptr<Side>> models, rtls;
  std::vector<platform::Host*> hosts;
  for (const Board& board : boards) {
    models.push_back(std::make_unique<Side>(device::Target::model, board, jobs));
    rtls.push_back(std::make_unique<Side>(device::Target::rtl, board, jobs));
    hosts.push_back(&models.back()->platform.host());
    hosts.push_back(&rtls.back()->platform.host());
  }
  platform::run_hosts(hosts);
  for (std::size_t i = 0; i < boards.size(); i++) {
    ASSERT_EQ(jobs.size(), models[i]->results.size()) << boards[i].memory;
    ASSERT_EQ(jobs.size(), rtls[i]->results.size()) << boards[i].memory;
    for (std::size_t job = 0; job < jobs.size(); job++) {
      const device::DeviceResult &model = models[i]->results[job], &rtl = rtls[i]->results[job];
      EXPECT_EQ(model.cycles, rtl.cycles) << boards[i].memory << ", job " << job;
      EXPECT_EQ(model.counters, rtl.counters) << boards[i].memory << ", job " << job;
    }
  }
}

}  // namespace
}  // namespace mxe::test
