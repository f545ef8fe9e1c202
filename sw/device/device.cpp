// SPDX-License-Identifier: Apache-2.0
#include "sw/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>

#include "model/platform/driver_port.h"
#include "model/platform/platform.h"
#include "mxe_counter_table.h"
#include "mxe_driver.h"
#include "mxe_regs.h"
#include "sw/device/engines.h"

namespace mxe {
namespace {

constexpr uint32_t kRingEntries = 2;
// Simulated time without progress after which the driver gives up. The platform notices a device
// that hangs long before.
constexpr uint32_t kTimeoutUs = UINT32_MAX;

/// A driver call's result; throws what the driver says about a failure.
void require_ok(int code, const char* what) {
  if (code != MXE_OK) throw DeviceFailure(fmt::format("{}: {}", what, mxe_strerror(code)));
}

/// Throws mx::Error if the job is too large for the memory.
void require_room(JobParts& parts, std::size_t memory) {
  constexpr std::size_t kSlack = 4096;  // alignment and the ring
  std::size_t bytes = kSlack;
  for (const JobPart* part : parts.in_order()) bytes += part->bytes();
  if (bytes > memory) {
    throw mx::Error(
        fmt::format("operands and result need {} bytes, the device has {}", bytes, memory));
  }
}

/// Finds room in memory for everything.
void place(Host& host, JobParts& parts) {
  for (JobPart* part : parts.in_order()) {
    part->address = host.allocate(part->bytes(), JobParts::kAlignment);
  }
}

template <typename T>
void write_memory(Host& host, uint64_t address, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  std::memcpy(host.memory().data(address, bytes), values.data(), bytes);
}

/// Puts the operands into their parts.
void upload(Host& host, const Job& job, const JobParts& parts) {
  write_memory(host, parts.a.address, mx::pack_rows(job.a));
  write_memory(host, parts.b.address, mx::pack_rows(job.b));
  write_memory(host, parts.a_scales.address, job.a.scales);
  write_memory(host, parts.b_scales.address, job.b.scales);
  if (!job.bias.empty()) {
    write_memory(host, parts.c.address, store_bias(job.bias, job.bias_bf16));
  }
}

std::vector<uint8_t> read_memory(Host& host, uint64_t address, std::size_t bytes) {
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

uint64_t DeviceResult::counter(const std::string& name) const {
  const auto it = std::find_if(counters.begin(), counters.end(),
                               [&name](const auto& counter) { return counter.first == name; });
  return it == counters.end() ? 0 : it->second;
}

struct Device::Impl {
  Target target;
  EngineSetup setup;
  std::unique_ptr<Platform> platform;
  std::optional<DriverRing> ring;
  std::optional<mxe_device> driver;  // after the first job

  /// Runs `program` on the platform's host, with the driver ready and the memory given back after.
  DeviceResult run(const std::function<DeviceResult(Host&)>& program);
  void open(Host& host);
  DeviceResult execute(const mxe_job& descriptor);
};

DeviceResult Device::Impl::run(const std::function<DeviceResult(Host&)>& program) {
  DeviceResult result;
  const auto start = std::chrono::steady_clock::now();
  try {
    platform->run([&](Host& host) {
      open(host);
      const uint64_t mark = host.allocation_mark();
      result = program(host);
      host.release(mark);
    });
  } catch (const mx::Error& error) {
    throw DeviceFailure(fmt::format("{}: {}", target_name(target), error.what()));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_seconds = wall.count();
  return result;
}

void Device::Impl::open(Host& host) {
  if (driver) return;
  ring = make_driver_ring(host, kRingEntries);
  const mxe_port port = make_driver_port(host);
  mxe_device device{};
  require_ok(mxe_open(&device, &port, ring->get()), "cannot start the engine");
  driver = device;
}

/// One job from the doorbell to its completion.
DeviceResult Device::Impl::execute(const mxe_job& descriptor) {
  uint32_t id = 0;
  mxe_completion completion{};
  struct mxe_counters counters {};
  require_ok(mxe_clear_counters(&*driver), "cannot clear the counters");
  require_ok(mxe_submit(&*driver, &descriptor, nullptr, &id), "cannot submit the job");
  require_ok(mxe_wait(&*driver, id, kTimeoutUs, &completion), "the job failed");
  require_ok(mxe_read_counters(&*driver, &counters), "cannot read the counters");
  DeviceResult result;
  result.cycles = completion.cycles;
  result.counters = to_list(counters);
  return result;
}

Device::Device(Target target, const EngineSetup& setup) : impl_(std::make_unique<Impl>()) {
  impl_->target = target;
  impl_->setup = setup;
  Memory::Config memory;
  memory.timing = setup.timing;
  impl_->platform =
      std::make_unique<Platform>(sc_core::sc_gen_unique_name(target_name(target), true), memory,
                                 [&] { return make_engine(target, setup); });
}

Device::~Device() = default;
Device::Device(Device&&) noexcept = default;

Target Device::target() const { return impl_->target; }

DeviceResult Device::run(const Job& job) {
  const JobShape shape = job.shape();
  JobParts parts(shape);
  require_room(parts, impl_->platform->memory().size());
  return impl_->run([&](Host& host) {
    place(host, parts);
    upload(host, job, parts);
    DeviceResult result = impl_->execute(parts.descriptor(shape));
    result.output.bytes = read_memory(host, parts.d.address, parts.d.bytes());
    result.output.scales = read_memory(host, parts.d_scales.address, parts.d_scales.bytes());
    result.output.saturations = result.counter("saturations");
    return result;
  });
}

DeviceResult Device::run(const Products& products) {
  DeviceResult all = run(products.jobs[0]);
  for (std::size_t i = 1; i < products.jobs.size(); i++) {
    const DeviceResult result = run(products.jobs[i]);
    all.output.append(result.output);
    all.cycles += result.cycles;
    all.wall_seconds += result.wall_seconds;
    for (std::size_t c = 0; c < all.counters.size(); c++) {
      all.counters[c].second += result.counters[c].second;
    }
  }
  return all;
}

DeviceResult Device::run(const JobShape& shape) {
  JobParts parts(shape);
  require_room(parts, impl_->platform->memory().size());
  return impl_->run([&](Host& host) {
    place(host, parts);
    return impl_->execute(parts.descriptor(shape));
  });
}

}  // namespace mxe
