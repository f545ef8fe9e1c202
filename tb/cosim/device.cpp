// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/device.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "model/harness/driver_port.h"
#include "model/numerics/base/error.h"
#include "model/platform/clock.h"

namespace mxe::cosim {
namespace {

void demand(int result, const char* action) {
  if (result == MXE_OK) return;
  throw Error(fmt::format("{}: {}", action, mxe_strerror(result)));
}

}  // namespace

void Device::open() {
  if (ring_) return;
  mxe_port port = harness::make_driver_port(host());
  if (setup_.poll) port.wait_irq = nullptr;
  ring_.emplace(host(), host().allocation_mark(), setup_.ring_entries);
  port = tap_.attach(port);
  demand(mxe_open(&driver_, &port, ring_->get()), "mxe_open");
  const std::string contradiction = setup_.features.contradiction(driver_.caps);
  if (!contradiction.empty()) throw Error(contradiction);
}

uint64_t Device::entry_of(uint32_t number) const {
  return driver_.ring_bus_addr + (number - driver_.origin) % driver_.ring_entries * kEntryBytes;
}

uint32_t Device::submit(const mxe_job& job) {
  uint32_t id = 0;
  demand(mxe_submit(&driver_, &job, nullptr, &id), "mxe_submit");
  return id;
}

uint32_t Device::submit(const CosimJob& job, const JobImage& image) {
  tap_.before_doorbell = [&] {
    uint8_t* bytes = memory().data(entry_of(driver_.tail - 1u), kEntryBytes);
    engine::DescriptorBytes descriptor;
    std::memcpy(descriptor.data(), bytes, kEntryBytes);
    if (job.in_turn) read_in_turn(descriptor);
    apply(job.claims, descriptor);
    for (const Spoil& spoil : job.spoils) apply(spoil, descriptor);
    std::memcpy(bytes, descriptor.data(), kEntryBytes);
  };
  const uint32_t id = submit(image.descriptor());
  tap_.before_doorbell = nullptr;
  return id;
}

JobOutcome Device::finish(uint32_t id, uint64_t start) {
  JobOutcome outcome;
  outcome.result = mxe_wait(&driver_, id, setup_.timeout_us, &outcome.completion);
  outcome.seen_done = platform::current_cycle() - start;
  // Stop: every later job would take the whole timeout, too.
  if (outcome.result == MXE_ERR_TIMEOUT) {
    throw Error(fmt::format("a job on the {} hangs: nothing completed for {} us", setup_.name,
                            setup_.timeout_us));
  }
  if (std::exchange(tap_.no_interrupt, false)) {
    throw Error(fmt::format("a job completed on the {} without an interrupt", setup_.name));
  }
  return outcome;
}

void Device::recover() { demand(mxe_recover(&driver_, setup_.timeout_us), "mxe_recover"); }

void Device::clear_counters() { demand(mxe_clear_counters(&driver_), "mxe_clear_counters"); }

struct mxe_counters Device::read_counters() {
  struct mxe_counters counters {};
  demand(mxe_read_counters(&driver_, &counters), "mxe_read_counters");
  return counters;
}

}  // namespace mxe::cosim
