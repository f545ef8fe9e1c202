// SPDX-License-Identifier: Apache-2.0
#include "model/platform/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "model/platform/device/driver_session.h"
#include "model/platform/device/engines.h"
#include "model/platform/platform.h"

namespace mxe::device {

uint64_t DeviceResult::counter(const std::string& name) const {
  const auto it = std::find_if(counters.begin(), counters.end(),
                               [&name](const auto& counter) { return counter.first == name; });
  return it == counters.end() ? 0 : it->second;
}

struct Device::Impl {
  Target target;
  EngineSetup setup;
  std::unique_ptr<platform::Platform> platform;
  DriverSession session;

  template <typename AnyJob>
  DeviceResult run(const AnyJob& job, const job::JobShape& shape);
};

template <typename AnyJob>
DeviceResult Device::Impl::run(const AnyJob& job, const job::JobShape& shape) {
  require_room(job::JobParts(shape), platform->memory().size());
  DeviceResult result;
  const auto start = std::chrono::steady_clock::now();
  try {
    platform->run([&](platform::Host& host) { result = session.run(host, job); });
  } catch (const Error& error) {
    if (setup.dram && setup.dram->plugin) setup.dram->plugin->rethrow();
    throw harness::DeviceFailure(fmt::format("{}: {}", target_name(target), error.what()));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_seconds = wall.count();
  return result;
}

Device::Device(Target target, const EngineSetup& setup) : impl_(std::make_unique<Impl>()) {
  impl_->target = target;
  impl_->setup = setup;
  platform::Memory::Config memory;
  memory.timing = setup.timing;
  memory.dram = setup.dram;
  memory.accesses = setup.accesses;
  impl_->platform =
      std::make_unique<platform::Platform>(sc_core::sc_gen_unique_name(target_name(target), true),
                                           memory, [&] { return make_engine(target, setup); });
}

Device::~Device() = default;
Device::Device(Device&&) noexcept = default;

Target Device::target() const { return impl_->target; }

DeviceResult Device::run(const job::Job& job) { return impl_->run(job, job.shape()); }

DeviceResult Device::run(const job::Products& products) {
  if (products.is_empty()) {
    DeviceResult nothing;
    nothing.counters = no_counts();
    return nothing;
  }
  if (products.jobs[0].k() == 0) {
    throw Error("an engine needs a K of at least 1; K = 0 is for --on golden (Python: 'golden')");
  }
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

DeviceResult Device::run(const job::JobShape& shape) { return impl_->run(shape, shape); }

}  // namespace mxe::device
