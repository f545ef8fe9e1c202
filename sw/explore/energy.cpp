// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/energy.h"

#include "model/numerics/base/block_size.h"
#include "model/numerics/gemm/accumulate.h"
#include "sw/explore/area.h"

namespace mxe::explore {
namespace {

constexpr double kWordBytes = kBlockSize + 2;  ///< an operand word and its scales

/// Gates of a dot product in this format, relative to the largest, E5M2 (docs/area.md).
double busy_share(numerics::FormatId format) {
  constexpr double kWidest = 46476;
  switch (format) {
    case numerics::FormatId::mxfp4_e2m1:
    case numerics::FormatId::mxfp4_e1m2:
      return 7634 / kWidest;
    case numerics::FormatId::mxfp6_e2m3:
      return 15296 / kWidest;
    case numerics::FormatId::mxfp6_e3m2:
      return 16342 / kWidest;
    case numerics::FormatId::mxfp8_e4m3:
      return 31582 / kWidest;
    case numerics::FormatId::mxint8:
      return 29253 / kWidest;
    case numerics::FormatId::mxfp8_e5m2:
      break;
  }
  return 1;
}

/// Share of the dot product in the gates of a processing element (docs/area.md: 72 to 75 %).
constexpr double kDotShare = 0.74;

bool is_dual(const Params& params, numerics::FormatId a, numerics::FormatId b) {
  return params.fp4_dual != 0 && numerics::is_dual_pair(a, b);
}

}  // namespace

unsigned macs_per_clock(const Params& params, numerics::FormatId a, numerics::FormatId b) {
  return kBlockSize * (is_dual(params, a, b) ? 2 : 1);
}

double switched_gates_per_mac(const Params& params, numerics::FormatId a, numerics::FormatId b) {
  const double products = is_dual(params, a, b) ? 2 : 1;
  const double dot = kDotShare * products * (busy_share(a) + busy_share(b)) / 2;
  const double element = AreaTable::shipped().processing_element(params);
  return element * (dot + (1 - kDotShare)) / macs_per_clock(params, a, b);
}

double sram_bytes_per_mac(const Params& params, numerics::FormatId a, numerics::FormatId b) {
  const double chains = is_dual(params, a, b) ? 2 : 1;
  // In each cycle all PEs share a word of A, and each PE reads and writes an accumulator. Each PE
  // loads a word of B once per pass of `rows` cycles.
  const double clock = kWordBytes + params.num_pe * (8 * chains + kWordBytes / params.rows);
  return clock / (params.num_pe * macs_per_clock(params, a, b));
}

Energy energy_of(const Params& params, const EnergyWork& work,
                 const EnergyCoefficients& coefficients) {
  const numerics::FormatId a = work.format_a, b = work.format_b;
  Energy energy;
  energy.mac = work.macs * switched_gates_per_mac(params, a, b) * coefficients.gate.value;
  energy.sram = (work.macs * sram_bytes_per_mac(params, a, b) + 2 * work.dram_bytes) *
                coefficients.sram.value;
  energy.dram = work.dram_bytes * coefficients.dram.value;
  return energy;
}

}  // namespace mxe::explore
