// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/numerics/base/random.h"
#include "model/platform/clock.h"
#include "mxe_regs.h"
#include "tb/cosim/batch_run.h"

namespace mxe::cosim {
namespace {

constexpr uint32_t kIndices = MXE_RING_TAIL_TAIL_MASK + 1;

void refuse_doorbell(BatchRun& run, uint32_t tail) {
  platform::Host& host = run.host();
  host.write32(MXE_REG_IRQ_STATUS, kAllEvents);
  run.require_register(MXE_REG_IRQ_STATUS, 0, "after all events were cleared");
  const uint32_t mask = host.read32(MXE_REG_IRQ_MASK);
  host.write32(MXE_REG_IRQ_MASK, mask & ~MXE_IRQ_MASK_RING_OVERFLOW_MASK);
  host.write32(MXE_REG_RING_TAIL, tail);
  host.wait_cycles(kLineCycles);
  run.require(!host.irq.read(),
              "the interrupt line is high after a refused doorbell, which is masked");
  host.write32(MXE_REG_IRQ_MASK, mask);
  host.wait_cycles(kLineCycles);
  const bool unmasked = (mask & MXE_IRQ_MASK_RING_OVERFLOW_MASK) != 0;
  run.require(host.irq.read() == unmasked,
              fmt::format("the interrupt line is {} after a refused doorbell", host.irq.read()));
  run.require_register(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK,
                       "after a refused doorbell");
  run.require_register(MXE_REG_STATUS, MXE_STATUS_EMPTY_MASK, "after a refused doorbell");
  run.require_register(MXE_REG_RING_TAIL, run.device.tail(), "after a refused doorbell");
  host.write32(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
  run.require_register(MXE_REG_IRQ_STATUS, 0, "after the overflow was cleared");
  run.log("a doorbell was refused");
}

/// Distance (modulo 2^16) from the tail to the value of a doorbell that must not move the tail.
uint32_t refused_distance(Random& random, uint32_t entries) {
  if (random.one_in(2))
    return kIndices - static_cast<uint32_t>(random.uniform(1, entries));  // back
  if (random.one_in(2)) {
    return entries + static_cast<uint32_t>(random.uniform(1, random.one_in(2) ? 2 : entries));
  }
  return random.one_in(2) ? static_cast<uint32_t>(random.uniform(entries + 1, kIndices - 1)) : 0;
}

}  // namespace

void EmptyJobs::apply(BatchRun& run) const {
  if (empty_jobs == 0) return;
  const uint64_t start = platform::current_cycle();
  for (uint32_t done = 0; done < empty_jobs;) {
    std::vector<uint32_t> ids(std::min<std::size_t>(run.device.ring_entries(), empty_jobs - done));
    for (uint32_t& id : ids) id = run.device.submit(mxe_job{});
    for (const uint32_t id : ids) {
      const JobOutcome outcome = run.device.finish(id, start);
      run.require(outcome.result == MXE_ERR_SHAPE,
                  fmt::format("an empty job ended with: {}", mxe_strerror(outcome.result)));
    }
    done += static_cast<uint32_t>(ids.size());
  }
  const uint64_t cycles = platform::current_cycle() - start;
  run.log(fmt::format("{} empty jobs in {} cycles, head {}", empty_jobs, cycles,
                      run.host().read32(MXE_REG_RING_HEAD)));
}

/// Clears the results that the driver keeps, because ids that repeat would find old ones.
void FirstJobId::apply(BatchRun& run) const {
  if (first_job == 0) return;
  mxe_device& driver = run.device.driver();
  for (uint32_t i = 0; i < driver.ring_entries; i++) driver.slots[i].result.job_id = 0;
  driver.next_id = first_job;
}

void RingOverflow::apply(BatchRun& run) const {
  if (ring_overflow == 0) return;
  const mxe_device& driver = run.device.driver();
  platform::Host& host = run.host();
  Random random(ring_overflow);
  const uint32_t head = host.read32(MXE_REG_RING_HEAD);
  const uint32_t size = host.read32(MXE_REG_RING_SIZE_LOG2);
  // A distance of 2^16 - 1 equals one job backward.
  const auto too_far = static_cast<uint32_t>(
      random.one_in(2) ? driver.ring_entries + 1u
                       : random.uniform(driver.ring_entries + 1u, MXE_RING_TAIL_TAIL_MASK));
  refuse_doorbell(run, (head + too_far) % kIndices);
  uint32_t largest = 0;
  while (driver.caps.queue_depth >> (largest + 1)) largest++;
  host.write32(MXE_REG_RING_SIZE_LOG2,
               static_cast<uint32_t>(random.uniform(largest + 1, MXE_RING_SIZE_LOG2_WRITE_MASK)));
  refuse_doorbell(run, (head + 1) % kIndices);
  host.write32(MXE_REG_RING_SIZE_LOG2, size);
  run.require_register(MXE_REG_RING_HEAD, head, "after refused doorbells");
}

void RefusedDoorbells::apply(BatchRun& run) const {
  if (doorbells == 0) return;
  platform::Host& host = run.host();
  Random random(doorbells);
  const uint32_t tail = run.device.tail();
  const uint64_t count = random.uniform(1, 12);
  for (uint64_t i = 0; i < count; i++) {
    if (random.one_in(3)) host.wait_cycles(random.uniform(1, 60));
    const uint32_t distance = refused_distance(random, run.device.ring_entries());
    host.write32(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
    host.write32(MXE_REG_RING_TAIL, (tail + distance) % kIndices);
    const bool refused = (host.read32(MXE_REG_IRQ_STATUS) & MXE_IRQ_STATUS_RING_OVERFLOW_MASK) != 0;
    const std::string doorbell = fmt::format("a doorbell {} beyond the tail", distance);
    run.require(refused == (distance != 0),
                fmt::format("{} was {}", doorbell, refused ? "refused" : "taken"));
    run.require_register(MXE_REG_RING_TAIL, tail, "after " + doorbell);
    run.log(doorbell);
  }
  host.write32(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
}

}  // namespace mxe::cosim
