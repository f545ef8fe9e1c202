// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/energy.h"

namespace mxe::dram {

std::optional<DramEnergy> energy_of(const Config& config, const Statistics& statistics) {
  const Config& c = config;
  if (c.vdd == 0 || c.idd0 == 0) return std::nullopt;
  // V * mA * ns = pJ
  const double unit = c.vdd * c.devices * double(c.tck_fs) * 1e-6;
  const double activate = c.idd0 * c.rc - (c.idd3n * c.ras + c.idd2n * (c.rc - c.ras));
  const double refreshed =
      double(statistics.of(Command::refresh)) * c.rfc +
      double(statistics.of(Command::refresh_bank)) * c.rfc_pb / c.banks_per_rank();
  const auto times = [&](Command command, double energy) {
    return double(statistics.of(command)) * energy * unit;
  };
  DramEnergy energy;
  energy.activate = times(Command::activate, activate);
  energy.read = times(Command::read, (c.idd4r - c.idd3n) * c.burst_cycles());
  energy.write = times(Command::write, (c.idd4w - c.idd3n) * c.burst_cycles());
  energy.refresh = refreshed * (c.idd5b - c.idd2n) * unit;
  energy.standby = (double(statistics.open_cycles) * c.idd3n +
                    double(statistics.cycles - statistics.open_cycles) * c.idd2n) *
                   unit;
  return energy;
}

}  // namespace mxe::dram
