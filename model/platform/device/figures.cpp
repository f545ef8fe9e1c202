// SPDX-License-Identifier: Apache-2.0
#include "model/platform/device/figures.h"

#include <algorithm>
#include <cmath>

namespace mxe::device {

double utilization(const job::JobShape& shape, const Params& params, uint64_t cycles) {
  const double peak = shape.peak_macs_per_cycle(params);
  return cycles == 0 ? 0 : shape.macs() / (peak * static_cast<double>(cycles));
}

Roofline roofline(const job::JobShape& shape, const Params& params,
                  const engine::MemoryTiming& timing, const DeviceResult& result) {
  Roofline roof;
  const double port = params.mem_bytes();
  const double memory = timing.bytes_per_cycle;
  roof.bytes_per_cycle = memory == 0 ? port : std::min(memory, port);
  const uint64_t read = result.counter("bytes_read"), written = result.counter("bytes_written");
  roof.memory_reads = read >= written;
  const auto cycles = [](double amount, double rate) {
    return static_cast<uint64_t>(std::ceil(amount / rate));
  };
  roof.compute = cycles(shape.macs(), shape.peak_macs_per_cycle(params));
  const auto one_way = cycles(static_cast<double>(std::max(read, written)), roof.bytes_per_cycle);
  const double both = memory == 0 ? port : memory;
  roof.memory = timing.half_duplex
                    ? std::max(one_way, cycles(static_cast<double>(read + written), both))
                    : one_way;
  return roof;
}

}  // namespace mxe::device
