// SPDX-License-Identifier: Apache-2.0
#include "model/platform/device/driver_session.h"

#include <fmt/format.h>

#include <cstring>

#include "mxe_counter_table.h"
#include "mxe_regs.h"

namespace mxe::device {
namespace {

void place(platform::Host& host, job::JobParts& parts, const CommonOperand& common) {
  for (job::JobPart* part : parts.in_order()) {
    if (common.elements && part == &(parts.*common.elements)) {
      part->address = common.address;
    } else if (common.scales && part == &(parts.*common.scales)) {
      part->address = common.scale_address;
    } else {
      part->address = host.allocate(part->bytes(), job::JobParts::kAlignment);
    }
  }
}

template <typename T>
void write_memory(platform::Host& host, uint64_t address, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  std::memcpy(host.memory().data(address, bytes), values.data(), bytes);
}

void upload(platform::Host& host, const job::Job& job, const job::JobParts& parts) {
  write_memory(host, parts.a.address, numerics::pack_rows(job.a));
  write_memory(host, parts.b.address, numerics::pack_rows(job.b));
  write_memory(host, parts.a_scales.address, job.a.scales);
  write_memory(host, parts.b_scales.address, job.b.scales);
  if (!job.bias.empty()) {
    write_memory(host, parts.c.address, job::store_bias(job.bias, job.bias_bf16));
  }
}

std::vector<uint8_t> read_memory(platform::Host& host, uint64_t address, std::size_t bytes) {
  const uint8_t* begin = host.memory().data(address, bytes);
  return {begin, begin + bytes};
}

CounterValues to_list(const struct mxe_counters& counters) {
  CounterValues list;
  for (const CounterInfo& counter : counter_table) {
    list.emplace_back(counter.name, counters.*counter.value);
  }
  return list;
}

}  // namespace

CounterValues no_counts() { return to_list({}); }

void require_room(job::JobParts parts, std::size_t memory) {
  constexpr std::size_t kSlack = 4096;  // for alignment and the ring
  std::size_t bytes = kSlack;
  for (const job::JobPart* part : parts.in_order()) bytes += part->bytes();
  if (bytes > memory) {
    throw Error(fmt::format("operands and result need {} bytes, the device has {}", bytes, memory));
  }
}

void DriverSession::open(platform::Host& host) {
  if (driver_) return;
  ring_ = platform::make_driver_ring(host, harness::kSingleJobRing);
  driver_ = harness::open_device(harness::make_driver_port(host), *ring_->get());
}

DeviceResult DriverSession::execute(const mxe_job& descriptor) {
  const harness::JobRun run = harness::run_job(*driver_, descriptor);
  DeviceResult result;
  result.cycles = run.cycles;
  result.counters = to_list(run.counters);
  return result;
}

DeviceResult DriverSession::run(platform::Host& host, const job::Job& job,
                                const CommonOperand& common) {
  open(host);
  const uint64_t mark = host.allocation_mark();
  const job::JobShape shape = job.shape();
  job::JobParts parts(shape);
  place(host, parts, common);
  upload(host, job, parts);
  DeviceResult result = execute(parts.descriptor(shape));
  result.output.bytes = read_memory(host, parts.d.address, parts.d.bytes());
  result.output.scales = read_memory(host, parts.d_scales.address, parts.d_scales.bytes());
  result.output.saturations = result.counter("saturations");
  host.release(mark);
  return result;
}

DeviceResult DriverSession::run(platform::Host& host, const job::JobShape& shape,
                                const CommonOperand& common) {
  open(host);
  const uint64_t mark = host.allocation_mark();
  job::JobParts parts(shape);
  place(host, parts, common);
  const DeviceResult result = execute(parts.descriptor(shape));
  host.release(mark);
  return result;
}

}  // namespace mxe::device
