// SPDX-License-Identifier: Apache-2.0
// Energy by three coefficients: gates that switch, bytes of SRAM, bytes of DRAM. It ranks engines
// and formats; it does not replace a simulation of activity on a netlist.
#pragma once

#include <cstdint>

#include "model/numerics/format.h"
#include "model/params/params.h"

namespace mxe::explore {

/// A coefficient, and what sources of its kind span, in joules.
struct Coefficient {
  double value, least, most;
};

/// Where the energy goes, per unit, at a 45 nm process of about 1 V. Other processes: within the
/// spreads that docs/exploration.md names.
struct EnergyCoefficients {
  /// A gate equivalent of logic in a clock in which it works, one in five nodes switching. Exact
  /// dot products of 32 elements (264 to 1,041 GE a MAC, five formats), synthesized by Yosys and
  /// read by OpenSTA without vectors at an activity of 0.2: 1.49 to 1.59 fJ on Nangate's 45 nm
  /// library, 7.6 to 10.2 fJ on IHP's SG13G2 (130 nm, 1.2 V).
  Coefficient gate{1.55e-15, 1.49e-15, 10.2e-15};
  /// A byte read or written. Horowitz, "Computing's energy problem", ISSCC 2014, 45 nm: 10 pJ for
  /// 64 bits of 8 KiB, 20 pJ of 32 KiB. IHP's SG13G2 macros: 6.2 (2 KiB) to 11.5 pJ a byte (8 KiB).
  Coefficient sram{1.25e-12, 1.25e-12, 11.5e-12};
  /// A byte moved. HBM2 and LPDDR4 about 4 pJ a bit (O'Connor et al., "Fine-grained DRAM", MICRO
  /// 2017: HBM2 3.9); DDR3 about 20 pJ a bit; Horowitz: 1.3 to 2.6 nJ for 64 bits.
  Coefficient dram{32e-12, 31e-12, 325e-12};
};

/// What a job did.
struct EnergyWork {
  double macs = 0;
  double dram_bytes = 0;  ///< read and written
  mx::FormatId format_a = mx::FormatId::mxfp8_e4m3, format_b = mx::FormatId::mxfp8_e4m3;
};

/// In joules.
struct Energy {
  double mac = 0, sram = 0, dram = 0;
  double joules() const { return mac + sram + dram; }
};

/// MACs that one processing element does in a clock.
unsigned macs_per_clock(const Params& params, mx::FormatId a, mx::FormatId b);

/// Gate equivalents of a processing element that switch for a MAC: a dot product of two small
/// formats leaves most of the multipliers and of the tree still.
double switched_gates_per_mac(const Params& params, mx::FormatId a, mx::FormatId b);

/// Bytes that memories of the engine read and write for a MAC: operand words with their scales, and
/// accumulators.
double sram_bytes_per_mac(const Params& params, mx::FormatId a, mx::FormatId b);

/// The energy of a job. Bytes of DRAM pass a buffer twice, in and out.
Energy energy_of(const Params& params, const EnergyWork& work,
                 const EnergyCoefficients& coefficients = EnergyCoefficients());

}  // namespace mxe::explore
