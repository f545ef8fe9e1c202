#include "device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "engines.h"
#include "mxe_driver.h"
#include "platform/driver_port.h"
#include "platform/platform.h"

namespace mxe::cli {
namespace {

constexpr uint32_t kRingEntryBytes = 128;
constexpr uint32_t kRingEntries = 2;
// Simulated time without progress after which the driver gives up. The platform notices a device
// that hangs long before.
constexpr uint32_t kTimeoutUs = UINT32_MAX;

/// A driver call's result; throws what the driver says about a failure.
void require_ok(int code, const char* what) {
  if (code != MXE_OK) throw DeviceFailure(fmt::format("{}: {}", what, mxe_strerror(code)));
}

/// Copies `values` into the memory; returns the bus address.
template <typename T>
uint64_t upload(Host& host, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  const uint64_t address = host.allocate(bytes);
  std::memcpy(host.memory().data(address, bytes), values.data(), bytes);
  return address;
}

/// Gives back what a job allocated, whichever way it ends.
class MemoryScope {
 public:
  explicit MemoryScope(Host& host) : host_(host), mark_(host.allocation_mark()) {}
  ~MemoryScope() { host_.release(mark_); }
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  Host& host_;
  uint64_t mark_;
};

/// Bytes from row to row of everything a job has in memory.
struct Strides {
  std::size_t a, b, scales, d;

  explicit Strides(const MatmulJob& job)
      : a(mx::packed_row_bytes(job.a.format, job.k())),
        b(mx::packed_row_bytes(job.b.format, job.k())),
        scales(job.a.scale_columns()),
        d(job.n() * sizeof(float)) {}
};

/// Throws mx::Error if the job is too large for a descriptor or the memory.
void require_room(const MatmulJob& job, std::size_t memory) {
  const Strides strides(job);
  const std::size_t largest = std::max({job.m(), job.n(), job.k(), strides.d});
  if (largest > UINT32_MAX) {
    throw mx::Error(fmt::format("{} x {} x {} is too large for a job", job.m(), job.n(), job.k()));
  }
  constexpr std::size_t kSlack = 4096;  // alignment and the ring
  const std::size_t bytes = job.m() * (strides.a + strides.scales + strides.d) +
                            job.n() * (strides.b + strides.scales) +
                            job.bias.size() * sizeof(float) + kSlack;
  if (bytes > memory) {
    throw mx::Error(
        fmt::format("the operands and the result need {} bytes, the device has {}", bytes, memory));
  }
}

/// Operands in memory and the descriptor that names them.
mxe_job upload_job(Host& host, const MatmulJob& job) {
  const Strides strides(job);
  mxe_job descriptor{};
  descriptor.format_a = static_cast<uint32_t>(job.a.format);
  descriptor.format_b = static_cast<uint32_t>(job.b.format);
  descriptor.out_format = MXE_OUT_FP32;
  descriptor.m = static_cast<uint32_t>(job.m());
  descriptor.n = static_cast<uint32_t>(job.n());
  descriptor.k = static_cast<uint32_t>(job.k());
  descriptor.a_addr = upload(host, mx::pack_rows(job.a));
  descriptor.b_addr = upload(host, mx::pack_rows(job.b));
  descriptor.a_scale_addr = upload(host, job.a.scales);
  descriptor.b_scale_addr = upload(host, job.b.scales);
  descriptor.a_stride = static_cast<uint32_t>(strides.a);
  descriptor.b_stride = static_cast<uint32_t>(strides.b);
  descriptor.a_scale_stride = static_cast<uint32_t>(strides.scales);
  descriptor.b_scale_stride = static_cast<uint32_t>(strides.scales);
  descriptor.d_addr = host.allocate(job.outputs() * sizeof(float));
  descriptor.d_stride = static_cast<uint32_t>(strides.d);
  if (!job.bias.empty()) {
    descriptor.bias = true;
    descriptor.c_addr = upload(host, job.bias);
    descriptor.c_stride = job.bias.size() == job.n() ? 0 : descriptor.d_stride;
  }
  return descriptor;
}

Counters to_list(const struct mxe_counters& counters) {
  return {{"total", counters.total},
          {"mac_active", counters.mac_active},
          {"stall_a", counters.stall_a},
          {"stall_b", counters.stall_b},
          {"stall_c", counters.stall_c},
          {"stall_drain", counters.stall_drain},
          {"stall_latency", counters.stall_latency},
          {"idle", counters.idle},
          {"bytes_read", counters.bytes_read},
          {"bytes_written", counters.bytes_written},
          {"blocks", counters.blocks},
          {"dual_cycles", counters.dual_cycles},
          {"nan_results", counters.nan_results},
          {"saturations", counters.saturations}};
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
  std::optional<mxe_device> driver;  // after the first probe

  void probe(Host& host);
  DeviceResult run(Host& host, const MatmulJob& job);
};

void Device::Impl::probe(Host& host) {
  if (driver) return;
  const std::size_t bytes = kRingEntries * kRingEntryBytes;
  const uint64_t ring = host.allocate(bytes, kRingEntryBytes);
  const mxe_port port = make_driver_port(host);
  mxe_device device{};
  require_ok(mxe_probe(&device, &port, host.memory().data(ring, bytes), ring, kRingEntries),
             "cannot start the engine");
  driver = device;
}

/// The program on the platform's host: everything through the driver.
DeviceResult Device::Impl::run(Host& host, const MatmulJob& job) {
  probe(host);
  const MemoryScope scope(host);
  const mxe_job descriptor = upload_job(host, job);
  DeviceResult result;
  uint32_t id = 0;
  mxe_completion completion{};
  struct mxe_counters counters {};
  require_ok(mxe_counters_clear(&*driver), "cannot clear the counters");
  require_ok(mxe_submit(&*driver, &descriptor, &id), "cannot submit the job");
  require_ok(mxe_wait(&*driver, id, kTimeoutUs, &completion), "the job failed");
  require_ok(mxe_counters(&*driver, &counters), "cannot read the counters");
  result.cycles = completion.cycles;
  result.counters = to_list(counters);
  result.output.resize(job.outputs());
  const std::size_t bytes = job.outputs() * sizeof(float);
  std::memcpy(result.output.data(), host.memory().data(descriptor.d_addr, bytes), bytes);
  return result;
}

Device::Device(Target target, const EngineSetup& setup) : impl_(std::make_unique<Impl>()) {
  impl_->target = target;
  impl_->setup = setup;
  Memory::Config memory;
  memory.timing = setup.timing;
  impl_->platform = std::make_unique<Platform>(target_name(target), memory,
                                               [&] { return make_engine(target, setup); });
}

Device::~Device() = default;
Device::Device(Device&&) noexcept = default;

Target Device::target() const { return impl_->target; }
const Params& Device::params() const { return impl_->setup.params; }

DeviceResult Device::run(const MatmulJob& job) {
  require_room(job, impl_->platform->memory().size());
  DeviceResult result;
  const auto start = std::chrono::steady_clock::now();
  try {
    impl_->platform->run([&](Host& host) { result = impl_->run(host, job); });
  } catch (const mx::Error& error) {
    throw DeviceFailure(fmt::format("{}: {}", target_name(impl_->target), error.what()));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_seconds = wall.count();
  return result;
}

}  // namespace mxe::cli
