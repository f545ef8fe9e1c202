// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/base/random.h"
#include "model/platform/engine.h"
#include "mxe_counter_table.h"
#include "tb/cosim/batch_run.h"

namespace mxe::cosim {

void CounterStart::apply(BatchRun& run) const {
  if (counters_below == 0 && counters_anywhere == 0) return;
  if (!run.device.counters_can_be_set) return;
  std::vector<uint64_t> values(std::size(counter_table), (uint64_t{1} << 32) - counters_below);
  if (counters_anywhere != 0) {
    Random random(counters_anywhere);
    for (uint64_t& value : values) value = random.next();
  }
  uint64_t total = 0;
  for (std::size_t i = 0; i < values.size(); i++) {
    if (counter_table[i].part_of_total) total += values[i];
  }
  values[static_cast<std::size_t>(Counter::total)] = total;
  run.require(run.device.platform().engine().set_counters(values), "the counters cannot be set");
  run.first_counts = values;
}

}  // namespace mxe::cosim
