// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/dram.h"

#include "model/platform/dram/fr_fcfs.h"
#include "model/platform/dram/ideal.h"
#include "model/platform/dram/in_order.h"

namespace mxe::dram {

std::unique_ptr<Dram> make_dram(const Config& config, Mode mode) {
  config.validate();
  if (config.is_ideal) return std::make_unique<Ideal>(config);
  if (mode == Mode::in_order) return std::make_unique<InOrder>(config);
  return std::make_unique<FrFcfs>(config);
}

uint64_t idle_latency_ps(const Config& config) {
  return InOrder(config).serve({0, 1, false, 0}).done_ps;
}

}  // namespace mxe::dram
