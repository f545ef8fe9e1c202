// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/dram/plugins/fake/dramsim3.h"

#include <fstream>
#include <utility>

#include "model/platform/dram/presets.h"

namespace mxe::test::dramsim3 {

MemorySystem::MemorySystem(const dram::Config& config, Callback read_done, Callback write_done)
    : config_(config),
      clock_(config),
      read_done_(std::move(read_done)),
      write_done_(std::move(write_done)),
      dram_(make_dram(config, dram::Mode::fr_fcfs)) {}

void MemorySystem::ClockTick() {
  const uint64_t now_ps = clock_.ps_of(cycle_++);
  dram_->advance(now_ps + 1);
  for (const dram::Completion& done : dram_->take_completions()) {
    completions_.emplace(done.done_ps, accesses_.at(done.ticket));
  }
  while (!completions_.empty() && completions_.begin()->first <= now_ps) {
    const Access access = completions_.begin()->second;
    completions_.erase(completions_.begin());
    (access.is_write ? write_done_ : read_done_)(access.address);
  }
}

double MemorySystem::GetTCK() const { return static_cast<double>(config_.tck_fs) / 1e6; }

bool MemorySystem::AddTransaction(uint64_t address, bool is_write) {
  const uint64_t ticket = dram_->submit(
      {address, static_cast<uint64_t>(config_.access_bytes()), is_write, clock_.ps_of(cycle_)});
  accesses_[ticket] = {address, is_write};
  return true;
}

MemorySystem* GetMemorySystem(const std::string& file, const std::string& /*folder*/,
                              MemorySystem::Callback read_done, MemorySystem::Callback write_done) {
  std::string text;
  std::getline(std::ifstream(file) >> std::ws, text);
  return new MemorySystem(dram::load_config(text), std::move(read_done), std::move(write_done));
}

}  // namespace mxe::test::dramsim3
