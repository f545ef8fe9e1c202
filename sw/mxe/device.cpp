#include "device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
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

/// Bytes from row to row of everything a job has in memory.
struct Strides {
  std::size_t a, b, scales, d, d_scales;

  explicit Strides(const MatmulShape& shape)
      : a(mx::packed_row_bytes(shape.format_a, shape.k)),
        b(mx::packed_row_bytes(shape.format_b, shape.k)),
        scales((shape.k + mx::kBlockSize - 1) / mx::kBlockSize),
        d(shape.output.row_bytes(shape.n)),
        d_scales(shape.output.scale_bytes(shape.n)) {}
};

/// Throws mx::Error if the job is too large for a descriptor or the memory.
void require_room(const MatmulShape& shape, std::size_t bias, std::size_t memory) {
  const Strides strides(shape);
  if (std::max({shape.m, shape.n, shape.k, strides.d}) > UINT32_MAX) {
    throw mx::Error(fmt::format("{} x {} x {} is too large for a job", shape.m, shape.n, shape.k));
  }
  constexpr std::size_t kSlack = 4096;  // alignment and the ring
  const std::size_t bytes = shape.m * (strides.a + strides.scales + strides.d + strides.d_scales) +
                            shape.n * (strides.b + strides.scales) + bias * sizeof(float) + kSlack;
  if (bytes > memory) {
    throw mx::Error(
        fmt::format("operands and result need {} bytes, the device has {}", bytes, memory));
  }
}

/// The descriptor of a job without bias, and room in memory for everything it names.
mxe_job allocate_job(Host& host, const MatmulShape& shape) {
  const Strides strides(shape);
  mxe_job descriptor{};
  descriptor.format_a = static_cast<uint32_t>(shape.format_a);
  descriptor.format_b = static_cast<uint32_t>(shape.format_b);
  descriptor.out_format = shape.output.code();
  descriptor.out_rule = static_cast<uint32_t>(shape.output.requant.rule);
  descriptor.out_overflow = shape.output.requant.overflow == mx::Overflow::special;
  descriptor.m = static_cast<uint32_t>(shape.m);
  descriptor.n = static_cast<uint32_t>(shape.n);
  descriptor.k = static_cast<uint32_t>(shape.k);
  descriptor.a_stride = static_cast<uint32_t>(strides.a);
  descriptor.b_stride = static_cast<uint32_t>(strides.b);
  descriptor.a_scale_stride = static_cast<uint32_t>(strides.scales);
  descriptor.b_scale_stride = static_cast<uint32_t>(strides.scales);
  descriptor.d_stride = static_cast<uint32_t>(strides.d);
  descriptor.d_scale_stride = static_cast<uint32_t>(strides.d_scales);
  descriptor.a_addr = host.allocate(shape.m * strides.a);
  descriptor.b_addr = host.allocate(shape.n * strides.b);
  descriptor.a_scale_addr = host.allocate(shape.m * strides.scales);
  descriptor.b_scale_addr = host.allocate(shape.n * strides.scales);
  descriptor.d_addr = host.allocate(shape.m * strides.d);
  descriptor.d_scale_addr = host.allocate(shape.m * strides.d_scales);
  return descriptor;
}

template <typename T>
void write_memory(Host& host, uint64_t address, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  std::memcpy(host.memory().data(address, bytes), values.data(), bytes);
}

/// Puts the operands where the descriptor says, and adds the bias to both.
void upload(Host& host, const MatmulJob& job, mxe_job& descriptor) {
  write_memory(host, descriptor.a_addr, mx::pack_rows(job.a));
  write_memory(host, descriptor.b_addr, mx::pack_rows(job.b));
  write_memory(host, descriptor.a_scale_addr, job.a.scales);
  write_memory(host, descriptor.b_scale_addr, job.b.scales);
  if (job.bias.empty()) return;
  const std::vector<uint8_t> bias = store_bias(job.bias, job.bias_bf16);
  const std::size_t number = bias.size() / job.bias.size();
  descriptor.bias = true;
  descriptor.bias_bf16 = job.bias_bf16;
  descriptor.c_addr = host.allocate(bias.size());
  descriptor.c_stride =
      job.bias.size() == descriptor.n ? 0 : static_cast<uint32_t>(descriptor.n * number);
  write_memory(host, descriptor.c_addr, bias);
}

std::vector<uint8_t> read_memory(Host& host, uint64_t address, std::size_t bytes) {
  const uint8_t* begin = host.memory().data(address, bytes);
  return {begin, begin + bytes};
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

  /// Runs `program` on the platform's host, with the driver ready and the memory given back after.
  DeviceResult run(const std::function<DeviceResult(Host&)>& program);
  void probe(Host& host);
  DeviceResult execute(const mxe_job& descriptor);
};

DeviceResult Device::Impl::run(const std::function<DeviceResult(Host&)>& program) {
  DeviceResult result;
  const auto start = std::chrono::steady_clock::now();
  try {
    platform->run([&](Host& host) {
      probe(host);
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

/// One job from the doorbell to its completion.
DeviceResult Device::Impl::execute(const mxe_job& descriptor) {
  uint32_t id = 0;
  mxe_completion completion{};
  struct mxe_counters counters {};
  require_ok(mxe_counters_clear(&*driver), "cannot clear the counters");
  require_ok(mxe_submit(&*driver, &descriptor, &id), "cannot submit the job");
  require_ok(mxe_wait(&*driver, id, kTimeoutUs, &completion), "the job failed");
  require_ok(mxe_counters(&*driver, &counters), "cannot read the counters");
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
  impl_->platform = std::make_unique<Platform>(target_name(target), memory,
                                               [&] { return make_engine(target, setup); });
}

Device::~Device() = default;
Device::Device(Device&&) noexcept = default;

Target Device::target() const { return impl_->target; }

DeviceResult Device::run(const MatmulJob& job) {
  const MatmulShape shape = job.shape();
  require_room(shape, job.bias.size(), impl_->platform->memory().size());
  return impl_->run([&](Host& host) {
    mxe_job descriptor = allocate_job(host, shape);
    upload(host, job, descriptor);
    DeviceResult result = impl_->execute(descriptor);
    const Strides strides(shape);
    result.output.bytes = read_memory(host, descriptor.d_addr, shape.m * strides.d);
    result.output.scales = read_memory(host, descriptor.d_scale_addr, shape.m * strides.d_scales);
    result.output.saturations = result.counter("saturations");
    return result;
  });
}

DeviceResult Device::run(const MatmulShape& shape) {
  require_room(shape, 0, impl_->platform->memory().size());
  return impl_->run([&](Host& host) { return impl_->execute(allocate_job(host, shape)); });
}

}  // namespace mxe::cli
