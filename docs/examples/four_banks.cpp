// SPDX-License-Identifier: Apache-2.0
// An engine with two or four banks of B: see docs/model.md.
#include <cstdio>
#include <systemc>

#include "model/engine/timing/read/load.h"
#include "model/platform/device/device.h"

int sc_main(int, char**) {
  mxe::device::EngineSetup setup;
  setup.params = mxe::Params::named("base");
  setup.mode = mxe::engine::Mode::timing;
  mxe::job::JobShape shape;
  shape.m = 16, shape.n = shape.k = 512;  // few rows: each slab of B is used for 16 cycles per word

  // SystemC requires all modules before the first simulation.
  constexpr unsigned kLatencies[] = {32, 128, 400};
  std::vector<mxe::device::Device> devices;
  for (const unsigned latency : kLatencies) {
    for (const unsigned banks : {2u, 4u}) {
      setup.timing.latency = latency;
      setup.load_b = [banks](const mxe::Params& params) {
        return std::make_unique<mxe::engine::Load>(params, mxe::engine::Load::Operand::b, banks);
      };
      devices.emplace_back(mxe::device::Target::model, setup);
    }
  }
  std::puts("latency   two banks   four banks");
  bool differs = false;
  for (unsigned i = 0; i < std::size(kLatencies); i++) {
    const unsigned long long two = devices[2 * i].run(shape).cycles;
    const unsigned long long four = devices[2 * i + 1].run(shape).cycles;
    std::printf("%7u %11llu %12llu\n", kLatencies[i], two, four);
    differs = differs || four != two;
  }
  return differs ? 0 : 1;
}
