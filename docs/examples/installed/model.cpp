// SPDX-License-Identifier: Apache-2.0
// A job on the SystemC model, compared with the reference. SystemC's main() calls sc_main().
#include <cstdio>
#include <systemc>
#include <vector>

#include "model/numerics/quantize/quantize.h"
#include "model/platform/device/device.h"

int sc_main(int, char**) {
  constexpr std::size_t kRows = 16, kColumns = 8, kDepth = 64;
  const std::vector<float> ones(kRows * kDepth, 1.0f);
  mxe::job::Job job;
  job.a = mxe::numerics::quantize_rows(ones.data(), kRows, kDepth, mxe::numerics::FormatId::mxint8);
  job.b =
      mxe::numerics::quantize_rows(ones.data(), kColumns, kDepth, mxe::numerics::FormatId::mxint8);

  mxe::device::EngineSetup setup;
  setup.params = mxe::Params::named("small");
  mxe::device::Device model(mxe::device::Target::model, setup);
  const mxe::device::DeviceResult result = model.run(job);

  const bool agree =
      result.output.bytes == job.golden(mxe::job::engine_sums(setup.params.fp4_dual)).bytes;
  std::printf("model: %zu x %zu x %zu in %llu cycles, %s the reference\n", kRows, kColumns, kDepth,
              static_cast<unsigned long long>(result.cycles),
              agree ? "agrees with" : "DIFFERS from");
  return agree ? 0 : 1;
}
