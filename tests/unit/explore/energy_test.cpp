// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/energy.h"

#include <gtest/gtest.h>

#include "sw/explore/area.h"

namespace mxe::explore {
namespace {

using numerics::FormatId;

constexpr FormatId kFp4 = FormatId::mxfp4_e2m1, kFp6 = FormatId::mxfp6_e2m3,
                   kE4m3 = FormatId::mxfp8_e4m3, kE5m2 = FormatId::mxfp8_e5m2;

TEST(Energy, IsTheSumOfItsParts) {
  const Params base = Params::named("base");
  const EnergyCoefficients coefficients;
  const EnergyWork work{1e9, 5e6, kE4m3, kE4m3};
  const Energy energy = energy_of(base, work);
  EXPECT_DOUBLE_EQ(energy.joules(), energy.mac + energy.sram + energy.dram);
  EXPECT_DOUBLE_EQ(energy.dram, 5e6 * coefficients.dram.value);
  EXPECT_DOUBLE_EQ(energy.mac,
                   1e9 * switched_gates_per_mac(base, kE4m3, kE4m3) * coefficients.gate.value);
  EXPECT_DOUBLE_EQ(energy.sram, (1e9 * sram_bytes_per_mac(base, kE4m3, kE4m3) + 2 * 5e6) *
                                    coefficients.sram.value);
  EXPECT_EQ(energy_of(base, {}).joules(), 0);
}

TEST(Energy, CoefficientsLieWithinTheirSpread) {
  const EnergyCoefficients coefficients;
  for (const Coefficient& c : {coefficients.gate, coefficients.sram, coefficients.dram}) {
    EXPECT_LE(c.least, c.value);
    EXPECT_LE(c.value, c.most);
    EXPECT_GT(c.least, 0);
  }
}

TEST(Energy, TheWidestFormatSwitchesTheWholeElement) {
  const Params base = Params::named("base");
  EXPECT_DOUBLE_EQ(switched_gates_per_mac(base, kE5m2, kE5m2),
                   AreaTable::shipped().processing_element(base) / 32);
}

TEST(Energy, SmallerFormatsSwitchLess) {
  const Params base = Params::named("base");
  EXPECT_LT(switched_gates_per_mac(base, kFp4, kFp4), switched_gates_per_mac(base, kFp6, kFp6));
  EXPECT_LT(switched_gates_per_mac(base, kFp6, kFp6), switched_gates_per_mac(base, kE4m3, kE4m3));
  EXPECT_LT(switched_gates_per_mac(base, kE4m3, kFp4), switched_gates_per_mac(base, kE4m3, kE4m3));
  EXPECT_EQ(switched_gates_per_mac(base, kE4m3, kFp4), switched_gates_per_mac(base, kFp4, kE4m3));
}

TEST(Energy, TheDualRateSharesTheElement) {
  Params single = Params::named("base");
  single.fp4_dual = 0;
  const Params dual = Params::named("base");
  EXPECT_EQ(macs_per_clock(dual, kFp4, kFp4), 64u);
  EXPECT_EQ(macs_per_clock(single, kFp4, kFp4), 32u);
  EXPECT_EQ(macs_per_clock(dual, kFp4, kE4m3), 32u);
  EXPECT_LT(switched_gates_per_mac(dual, kFp4, kFp4), switched_gates_per_mac(single, kFp4, kFp4));
}

TEST(Energy, MoreColumnsShareAWordOfA) {
  const Params base = Params::named("base"), large = Params::named("large");
  EXPECT_LT(sram_bytes_per_mac(large, kE4m3, kE4m3), sram_bytes_per_mac(base, kE4m3, kE4m3));
  // base: per word of A and 8 columns, 8 bytes of accumulator and 1/32 of a word of B each.
  EXPECT_DOUBLE_EQ(sram_bytes_per_mac(base, kE4m3, kE4m3), (34 + 8 * (8 + 34.0 / 32)) / (8 * 32));
}

}  // namespace
}  // namespace mxe::explore
