// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "model/platform/dram/clock.h"
#include "model/platform/dram/dram.h"

/// The functions of DRAMsim3's interface that docs/examples/dramsim3_plugin.cpp calls, with the
/// FR-FCFS controller of mxe::dram::make_dram(). Its file of a configuration has one line, as for
/// mxe::dram::load_config().
namespace mxe::test::dramsim3 {

class MemorySystem {
 public:
  using Callback = std::function<void(uint64_t)>;

  MemorySystem(const dram::Config& config, Callback read_done, Callback write_done);

  void ClockTick();
  double GetTCK() const;  // ns
  int GetBusBits() const { return static_cast<int>(config_.width); }
  int GetBurstLength() const { return static_cast<int>(config_.burst_length); }
  static bool WillAcceptTransaction(uint64_t /*address*/, bool /*is_write*/) { return true; }
  bool AddTransaction(uint64_t address, bool is_write);

 private:
  struct Access {
    uint64_t address;
    bool is_write;
  };

  dram::Config config_;
  dram::Clock clock_;
  Callback read_done_, write_done_;
  std::unique_ptr<dram::Dram> dram_;
  std::map<uint64_t, Access> accesses_;          // by ticket
  std::multimap<uint64_t, Access> completions_;  // by time
  uint64_t cycle_ = 0;
};

MemorySystem* GetMemorySystem(const std::string& file, const std::string& folder,
                              MemorySystem::Callback read_done, MemorySystem::Callback write_done);

}  // namespace mxe::test::dramsim3

namespace dramsim3 = mxe::test::dramsim3;
