// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "mxe_counter_table.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::cosim {

BatchRun::BatchRun(Device& run_device, const Batch& run_batch,
                   const std::vector<JobImage>& images_of_jobs)
    : device(run_device), batch(run_batch), images(images_of_jobs) {
  result.device = &device;
}

BatchResult BatchRun::run() {
  device.open();
  start_ = platform::current_cycle();
  apply<RegisterWrites>();
  device.clear_counters();
  apply<CounterStart>();
  device.read_counters();  // the registers no longer show the counts of the batch before
  apply<RingOverflow>();
  apply<EndlessJobs>();
  apply<EmptyJobs>();
  apply<FirstJobId>();
  apply<Reset>();
  write_images();
  run_jobs();
  read_results();
  return std::move(result);
}

std::size_t BatchRun::first_jobs() const {
  return std::min<std::size_t>(images.size(), device.ring_entries());
}

void BatchRun::write_images() {
  for (const JobImage& image : images) image.write_to(device.memory());
}

void BatchRun::read_images(std::vector<JobOutcome>& outcomes) const {
  for (std::size_t i = 0; i < outcomes.size(); i++) {
    outcomes[i].memory = images[i].read_from(device.memory());
  }
}

void BatchRun::log(const std::string& what) {
  result.log.push_back(fmt::format("cycle {}: {}", platform::current_cycle() - start_, what));
}

void BatchRun::require(bool condition, const std::string& what) const {
  if (!condition) throw Error(fmt::format("{}: {}", device.name(), what));
}

void BatchRun::require_register(uint32_t offset, uint32_t expected, const std::string& when) const {
  const uint32_t found = host().read32(offset);
  require(found == expected, fmt::format("{} is {:#x} {}, expected {:#x}",
                                         find_register(offset)->name, found, when, expected));
}

void BatchRun::run_jobs() {
  apply<BusErrors>();
  first_index = device.tail();
  batch.MaskedInterrupts::prepare(*this);
  batch.DisabledStart::prepare(*this);
  const uint64_t start = platform::current_cycle();
  const std::size_t count = images.size(), ring = device.ring_entries();
  std::vector<uint32_t> ids;
  for (std::size_t i = 0; i < count; i++) {
    if (i >= ring) result.outcomes.push_back(device.finish(ids[i - ring], start));
    device.hold_doorbells(batch.one_doorbell && i + 1 < first_jobs());
    ids.push_back(device.submit(batch.jobs[i], images[i]));
    if (i + 1 == first_jobs()) disturb_first_jobs();
  }
  for (std::size_t i = result.outcomes.size(); i < count; i++) {
    result.outcomes.push_back(device.finish(ids[i], start));
  }
  read_images(result.outcomes);
}

void BatchRun::disturb_first_jobs() {
  apply<RefusedDoorbells>();
  apply<DisabledStart>();
  apply<RegisterTraffic>();
  apply<Pause>();
  apply<MaskedInterrupts>();
}

void BatchRun::read_results() {
  device.memory().clear_faults();
  // Before an abort, one engine may have issued more bursts than the other one.
  if (batch.is_disturbed()) device.memory().restart_timing();
  result.last_job = host().read32(MXE_REG_LAST_JOB);
  result.last_status = host().read32(MXE_REG_LAST_STATUS);
  result.counters = result.counters_read = device.read_counters();
  for (std::size_t i = 0; i < first_counts.size(); i++) {
    result.counters.*counter_table[i].value -= first_counts[i];
  }
}

}  // namespace mxe::cosim
