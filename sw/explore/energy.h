// SPDX-License-Identifier: Apache-2.0
// Estimates energy from switching gates, bytes of SRAM and bytes of DRAM. Good for ranking engines
// and formats; no replacement for a power simulation of a netlist.
#pragma once

#include <cstdint>

#include "model/numerics/formats/format.h"
#include "model/params/params.h"

namespace mxe::explore {

/// A coefficient and the range of published values, in joules.
struct Coefficient {
  double value, least, most;
};

/// Values for a 45 nm process at about 1 V; docs/exploration-report.md has other processes.
struct EnergyCoefficients {
  /// Per gate equivalent of active logic and cycle; one node in five switches. Measured on dot
  /// products of 32 elements (264 to 1,041 GE per MAC, five formats), Yosys and OpenSTA, activity
  /// 0.2: 1.49 to 1.59 fJ on Nangate's 45 nm library, 7.6 to 10.2 fJ on IHP's SG13G2 (130 nm).
  Coefficient gate{1.55e-15, 1.49e-15, 10.2e-15};
  /// Per byte read or written. Horowitz, "Computing's energy problem", ISSCC 2014, 45 nm: 10 pJ for
  /// 64 bits of 8 KiB, 20 pJ of 32 KiB. IHP's SG13G2 macros: 6.2 (2 KiB) to 11.5 pJ a byte (8 KiB).
  Coefficient sram{1.25e-12, 1.25e-12, 11.5e-12};
  /// Per byte moved. O'Connor et al., "Fine-grained DRAM", MICRO 2017: HBM2 and LPDDR4 about 4 pJ
  /// per bit. DDR3: about 20 pJ per bit. Horowitz: 1.3 to 2.6 nJ for 64 bits.
  Coefficient dram{32e-12, 31e-12, 325e-12};
};

struct EnergyWork {
  double macs = 0;
  double dram_bytes = 0;  ///< read and written
  numerics::FormatId format_a = numerics::FormatId::mxfp8_e4m3,
                     format_b = numerics::FormatId::mxfp8_e4m3;
};

/// In joules.
struct Energy {
  double mac = 0, sram = 0, dram = 0;
  double joules() const { return mac + sram + dram; }
};

unsigned macs_per_clock(const Params& params, numerics::FormatId a, numerics::FormatId b);

/// Gate equivalents of a processing element that switch, per MAC; narrower formats use fewer.
double switched_gates_per_mac(const Params& params, numerics::FormatId a, numerics::FormatId b);

/// Bytes of engine memory read and written per MAC: operand words with scales, and accumulators.
double sram_bytes_per_mac(const Params& params, numerics::FormatId a, numerics::FormatId b);

/// The energy of a job. Each byte of DRAM also passes through a buffer: one SRAM write, one read.
Energy energy_of(const Params& params, const EnergyWork& work,
                 const EnergyCoefficients& coefficients = EnergyCoefficients());

}  // namespace mxe::explore
