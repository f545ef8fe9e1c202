// SPDX-License-Identifier: Apache-2.0
// DRAMsim3 for --memory-plugin ./dramsim3_plugin.so:CONFIG.ini (docs/memory.md).
#include <dramsim3.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "model/platform/dram/plugin.h"

namespace {

struct Memory {
  explicit Memory(const char* ini)
      : system(dramsim3::GetMemorySystem(
            ini, ".", [this](uint64_t address) { complete(reads, address); },
            [this](uint64_t address) { complete(writes, address); })),
        tck_ps(1000 * system->GetTCK()) {}
  ~Memory() { delete system; }

  /// The accesses of one address complete in the order of their arrival.
  void complete(std::multimap<uint64_t, uint64_t>& tickets, uint64_t address) {
    const auto oldest = tickets.lower_bound(address);
    done.push_back({oldest->second, time_of(cycle)});
    tickets.erase(oldest);
  }
  uint64_t time_of(uint64_t of_cycle) const {
    return static_cast<uint64_t>(std::ceil(static_cast<double>(of_cycle) * tck_ps));
  }

  std::multimap<uint64_t, uint64_t> reads, writes;  // tickets by address
  std::vector<mxe_dram_completion> done;
  uint64_t cycle = 0;  // of tCK
  dramsim3::MemorySystem* system;
  double tck_ps;
};

void* create(const char* options, double /*clock_ps*/, uint32_t* access_bytes, char* error,
             size_t error_size) {
  if (!std::ifstream(options)) {
    std::snprintf(error, error_size, "cannot read '%s'; allowed: an .ini file", options);
    return nullptr;
  }
  auto* memory = new Memory(options);
  *access_bytes = static_cast<uint32_t>(memory->system->GetBusBits() / 8 *
                                        memory->system->GetBurstLength());
  return memory;
}

void destroy(void* memory) { delete static_cast<Memory*>(memory); }

int submit(void* memory, uint64_t address, int is_write, uint64_t /*time_ps*/, uint64_t ticket) {
  Memory& self = *static_cast<Memory*>(memory);
  if (!self.system->WillAcceptTransaction(address, is_write != 0)) return MXE_DRAM_FULL;
  (is_write != 0 ? self.writes : self.reads).emplace(address, ticket);
  self.system->AddTransaction(address, is_write != 0);
  return MXE_DRAM_ACCEPTED;
}

void advance(void* memory, uint64_t time_ps) {
  Memory& self = *static_cast<Memory*>(memory);
  for (; self.time_of(self.cycle) < time_ps; self.cycle++) self.system->ClockTick();
}

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
