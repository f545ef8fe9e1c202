// SPDX-License-Identifier: Apache-2.0
#include "model/platform/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"

namespace mxe::platform {
namespace {

// While no program runs, a new one may start at any time, but rarely does.
constexpr uint64_t kFinishedSlack = 64;

}  // namespace

Host::Host(const sc_core::sc_module_name& name, Memory& memory, std::size_t reserved)
    : sc_module(name), memory_(memory), next_(memory.base() + reserved) {
  SC_HAS_PROCESS(Host);
  SC_THREAD(thread);
  set_stack_size(kThreadStackBytes);
}

bool Host::transport(tlm::tlm_command command, uint32_t offset, uint32_t& value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  sc_core::sc_time delay;
  regs->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  return payload.is_response_ok();
}

bool Host::try_read(uint32_t offset, uint32_t& value) {
  value = 0;
  return transport(tlm::TLM_READ_COMMAND, offset, value);
}

bool Host::try_write(uint32_t offset, uint32_t value) {
  return transport(tlm::TLM_WRITE_COMMAND, offset, value);
}

uint32_t Host::read32(uint32_t offset) {
  uint32_t value;
  if (try_read(offset, value)) return value;
  throw Error(fmt::format("bus error reading the register at {:#05x}", offset));
}

void Host::write32(uint32_t offset, uint32_t value) {
  if (try_write(offset, value)) return;
  throw Error(fmt::format("bus error writing the register at {:#05x}", offset));
}

bool Host::wait_irq(const sc_core::sc_time& timeout) {
  if (!irq.read()) {
    sleeps_until_ = time_to_cycles(sc_core::sc_time_stamp() + timeout);
    wait(timeout, irq.posedge_event());
    sleeps_until_ = 0;
  }
  return irq.read();
}

void Host::wait_cycles(uint64_t cycles) {
  sleeps_until_ = current_cycle() + cycles;
  wait(cycles_to_time(cycles));
  sleeps_until_ = 0;
}

uint64_t Host::next_access_cycle() const {
  const uint64_t now = current_cycle();
  return finished() ? now + kFinishedSlack : std::max(now, sleeps_until_);
}

uint64_t Host::allocate(std::size_t bytes, std::size_t alignment) {
  const uint64_t address = (next_ + alignment - 1) / alignment * alignment;
  if (!memory_.contains(address, bytes)) {
    throw Error(fmt::format("the simulated memory of {} bytes is too small: no room for {} more",
                            memory_.size(), bytes));
  }
  next_ = address + bytes;
  return address;
}

void Host::start(Program program) {
  program_ = std::move(program);
  error_ = nullptr;
  start_event_.notify(sc_core::SC_ZERO_TIME);
}

void Host::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

void Host::thread() {
  for (;;) {
    while (!program_) wait(start_event_);
    try {
      program_(*this);
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      error_ = std::current_exception();
    }
    program_ = nullptr;
    sc_core::sc_pause();
  }
}

void run_hosts(const std::vector<Host*>& hosts) {
  const auto finished = [](const Host* host) { return host->finished(); };
  while (!std::all_of(hosts.begin(), hosts.end(), finished)) {
    try {
      sc_core::sc_start();
    } catch (const sc_core::sc_report& report) {
      throw Error(report.get_msg());
    }
    for (const Host* host : hosts) {
      if (host->finished()) host->rethrow();
    }
    const auto waiting = std::find_if_not(hosts.begin(), hosts.end(), finished);
    if (waiting != hosts.end() && !sc_core::sc_pending_activity()) {
      throw Error(
          fmt::format("the simulation came to a standstill while the program on '{}' was waiting",
                      (*waiting)->name()));
    }
  }
}

}  // namespace mxe::platform
