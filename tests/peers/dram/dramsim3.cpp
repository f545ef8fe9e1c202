// SPDX-License-Identifier: Apache-2.0
// Serves a trace in DRAMsim3: dramsim3 CONFIG.ini TRACE RANK_BITS BANK_BITS GROUP_BITS COLUMN_BITS
// ACCESS_BITS
#include "dramsim3.h"

#include <cstdlib>
#include <map>

#include "harness.h"

int main(int /*count*/, char** words) {
  const Trace trace = read_trace(words[2]);
  const int rank = std::atoi(words[3]), bank = std::atoi(words[4]), group = std::atoi(words[5]),
            column = std::atoi(words[6]), access = std::atoi(words[7]);
  Run run(0);
  std::multimap<uint64_t, std::size_t> pending;
  const auto read_done = [&](uint64_t address) {
    const auto found = pending.find(address);
    run.done(found->second);
    pending.erase(found);
  };
  auto* memory = dramsim3::GetMemorySystem(words[1], ".", read_done, [](uint64_t) {});
  const auto send = [&](const Step& step, std::size_t index) {
    uint64_t address = step.row;
    address = address << rank | step.rank;
    address = address << bank | step.bank;
    address = address << group | step.group;
    address = (address << column | step.column) << access;
    if (!memory->WillAcceptTransaction(address, step.write != 0)) return false;
    if (!step.write) pending.emplace(address, index);
    memory->AddTransaction(address, step.write != 0);
    return true;
  };
  run.run(trace, send, [&] { memory->ClockTick(); });
}
