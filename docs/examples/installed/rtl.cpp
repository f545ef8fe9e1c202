// SPDX-License-Identifier: Apache-2.0
// The same job on the model and on the RTL, with equal bytes and cycles.
#include <cstdio>
#include <systemc>
#include <vector>

#include "model/numerics/quantize/quantize.h"
#include "model/platform/device/device.h"

int sc_main(int, char**) {
  constexpr std::size_t kRows = 16, kColumns = 8, kDepth = 64;
  const std::vector<float> ones(kRows * kDepth, 1.0f);
  mxe::job::Job job;
  job.a =
      mxe::numerics::quantize_rows(ones.data(), kRows, kDepth, mxe::numerics::FormatId::mxfp6_e2m3);
  job.b =
      mxe::numerics::quantize_rows(ones.data(), kColumns, kDepth, mxe::numerics::FormatId::mxint8);

  mxe::device::EngineSetup setup;
  setup.params = mxe::Params::named("small");
  // SystemC requires all modules before the first simulation, so both devices are made first.
  mxe::device::Device model(mxe::device::Target::model, setup),
      rtl(mxe::device::Target::rtl, setup);
  const mxe::device::DeviceResult expected = model.run(job), result = rtl.run(job);

  const bool agree =
      result.output.bytes == expected.output.bytes && result.cycles == expected.cycles;
  std::printf("rtl: %zu x %zu x %zu in %llu cycles, %s the model\n", kRows, kColumns, kDepth,
              static_cast<unsigned long long>(result.cycles),
              agree ? "agrees with" : "DIFFERS from");
  return agree ? 0 : 1;
}
