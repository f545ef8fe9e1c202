// SPDX-License-Identifier: Apache-2.0
// A DRAM for --memory-plugin: 16 banks with open rows of 8 KiB, 12.8 GB/s (docs/memory.md).
#include <algorithm>
#include <cstdio>
#include <vector>

#include "model/platform/dram/plugin.h"

namespace {

constexpr uint32_t kAccessBytes = 64, kRowBytes = 8192, kBanks = 16;
constexpr uint64_t kTransferPs = 5000, kHitPs = 20000, kMissPs = 50000;  // data bus; latencies

struct Memory {
  uint64_t bus_free_ps = 0;
  std::vector<uint64_t> open_row = std::vector<uint64_t>(kBanks, UINT64_MAX);
  std::vector<mxe_dram_completion> done;
};

void* create(const char* options, double /*clock_ps*/, uint32_t* access_bytes, char* error,
             size_t error_size) {
  *access_bytes = kAccessBytes;
  if (*options == 0) return new Memory;
  std::snprintf(error, error_size, "unknown option '%s'; allowed: none", options);
  return nullptr;
}

void destroy(void* memory) { delete static_cast<Memory*>(memory); }

int submit(void* memory, uint64_t address, int is_write, uint64_t time_ps, uint64_t ticket) {
  Memory& self = *static_cast<Memory*>(memory);
  const uint64_t row = address / kRowBytes;
  uint64_t& open_row = self.open_row[row % kBanks];
  const uint64_t latency = open_row == row ? kHitPs : kMissPs;
  open_row = row;
  const uint64_t data_ps = std::max(time_ps + latency, self.bus_free_ps);
  self.bus_free_ps = data_ps + kTransferPs;
  // A write is acknowledged at once.
  self.done.push_back({ticket, is_write != 0 ? time_ps + kHitPs : self.bus_free_ps});
  return MXE_DRAM_ACCEPTED;
}

void advance(void* /*memory*/, uint64_t /*time_ps*/) {}  // submit() answers

size_t take(void* memory, mxe_dram_completion* completions, size_t capacity) {
  std::vector<mxe_dram_completion>& done = static_cast<Memory*>(memory)->done;
  const size_t count = std::min(capacity, done.size());
  std::copy_n(done.begin(), count, completions);
  done.erase(done.begin(), done.begin() + static_cast<ptrdiff_t>(count));
  return count;
}

}  // namespace

const mxe_dram_plugin mxe_dram_plugin_entry = {MXE_DRAM_PLUGIN_VERSION, create,  destroy,
                                               submit,                  advance, take};
