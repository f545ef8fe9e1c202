// SPDX-License-Identifier: Apache-2.0
// Serves a trace in Ramulator 2: ramulator CONFIG.json TRACE TICKS_PER_CYCLE LEVELS. LEVELS has a
// letter for each level of the standard: r rank, g bank group, b bank, w row, o column, - index 0.
#include <cstdlib>
#include <memory>
#include <string>

#include "harness.h"
#include "ramulator/base/config.h"
#include "ramulator/base/factory.h"
#include "ramulator/frontend/i_frontend.h"
#include "ramulator/memory_system/i_memory_system.h"

int main(int /*count*/, char** words) {
  const Trace trace = read_trace(words[2]);
  const int ticks = std::atoi(words[3]);
  const std::string levels = words[4];
  const Ramulator::ConfigNode config = Ramulator::Config::parse_config_file(words[1]);
  const std::unique_ptr<Ramulator::IFrontEnd> front(Ramulator::Factory::create_frontend(config));
  const std::unique_ptr<Ramulator::IMemorySystem> memory(
      Ramulator::Factory::create_memory_system(config));
  front->connect_memory_system(memory.get());
  memory->connect_frontend(front.get());
  Run run(1);  // the first command may be issued in the tick of the arrival
  const auto send = [&](const Step& step, std::size_t index) {
    Ramulator::AddrVec_t at;
    for (const char level : levels) {
      const unsigned value = level == 'r'   ? step.rank
                             : level == 'g' ? step.group
                             : level == 'b' ? step.bank
                             : level == 'w' ? step.row
                             : level == 'o' ? step.column
                                            : 0;
      at.push_back(static_cast<int>(value));
    }
    Ramulator::Request request(
        at, step.write ? Ramulator::Request::Type::Write : Ramulator::Request::Type::Read);
    // Only compared with other addresses, for reads of queued writes.
    const uint64_t bank = (uint64_t{step.row} << 8 | step.group << 5 | step.bank) << 3 | step.rank;
    request.addr = static_cast<Ramulator::Addr_t>((bank << 16 | step.column) << 7);
    request.intra_channel_addr = request.addr;
    request.size_bytes = 1;
    request.callback = [&run, index, write = step.write](Ramulator::Request&) {
      if (!write) run.done(index);
    };
    return memory->send(request);
  };
  const auto tick = [&] {
    for (int i = 0; i < ticks; i++) memory->tick();
  };
  run.run(trace, send, tick);
}
