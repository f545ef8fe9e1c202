#include "tb/cosim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/engine.h"
#include "numerics/error.h"
#include "platform/clock.h"
#include "platform/driver_port.h"

namespace mxe {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{1} << 30;
constexpr uint32_t kTimeoutMicroseconds = 1'000'000;
constexpr std::size_t kSlotBytes = 128;

double cycle_error(const JobCycles& cycles) {
  if (cycles.model == 0 || cycles.rtl == 0) return 0;
  const auto model = static_cast<double>(cycles.model), rtl = static_cast<double>(cycles.rtl);
  return std::abs(model - rtl) / rtl;
}

void demand(int result, const char* action) {
  if (result == MXE_OK) return;
  throw mx::Error(fmt::format("{}: {}", action, mxe_strerror(result)));
}

}  // namespace

CoSim::CoSim(const CoSimOptions& options)
    : options_(options), scoreboard_(options.params.fp4_dual != 0) {
  if (options.run_model) {
    model_ = make_device("model", [this] {
      EngineOptions engine;
      engine.ports = options_.rtl.ports;
      return std::make_unique<Engine>("engine", options_.params, engine);
    });
  }
  if (options.run_rtl) {
    rtl_ = make_device("rtl", [this] {
      return std::make_unique<RtlEngine>("engine", options_.params, options_.rtl);
    });
  }
}

CoSim::~CoSim() = default;

std::unique_ptr<CoSim::Device> CoSim::make_device(const char* name,
                                                  const Platform::EngineFactory& factory) {
  Memory::Config memory;
  memory.size = kMemoryBytes;
  memory.timing = options_.timing;
  auto device = std::make_unique<Device>();
  device->name = name;
  device->platform = std::make_unique<Platform>(name, memory, factory);
  return device;
}

uint64_t CoSim::rtl_cycles() const {
  return rtl_ ? static_cast<RtlEngine&>(rtl_->platform->engine()).cycles() : 0;
}

void CoSim::run(const std::vector<Job>& jobs) {
  if (broken_) return;
  // Both memories begin at the same address, so one set of images serves both.
  Device& first = model_ ? *model_ : *rtl_;
  Host& host = first.platform->host();
  const uint64_t mark = host.allocation_mark();
  uint64_t address = mark + kSlotBytes * options_.ring_entries;
  std::vector<JobImage> images;
  for (std::size_t i = 0; i < jobs.size(); i++) {
    // An odd start moves the 4 KiB boundaries to other places in every job.
    images.emplace_back(jobs[i], address + 37 * i, cycles_.size() + i);
    address = images.back().address() + images.back().before().size();
  }
  std::vector<Host*> hosts;
  for (Device* device : {model_.get(), rtl_.get()}) {
    if (!device) continue;
    hosts.push_back(&device->platform->host());
    hosts.back()->start([this, device, &images](Host& h) { run_on(*device, h, images); });
  }
  try {
    run_hosts(hosts);
  } catch (const mx::Error& error) {
    scoreboard_.add({"simulation", cycles_.size(), error.what()});
    broken_ = true;
    return;
  }
  check(jobs, images);
}

void CoSim::probe(Device& device, Host& host) {
  mxe_port port = make_driver_port(host);
  if (options_.poll) port.wait_irq = nullptr;
  const uint64_t ring = host.allocation_mark();
  const std::size_t bytes = kSlotBytes * options_.ring_entries;
  demand(mxe_probe(&device.driver, &port, host.memory().data(ring, bytes), ring,
                   options_.ring_entries),
         "mxe_probe");
  device.probed = true;
}

void CoSim::run_on(Device& device, Host& host, const std::vector<JobImage>& images) {
  if (!device.probed) probe(device, host);
  for (const JobImage& image : images) {
    const std::vector<uint8_t>& bytes = image.before();
    std::memcpy(host.memory().data(image.address(), bytes.size()), bytes.data(), bytes.size());
  }
  device.outcomes.assign(images.size(), {});
  const uint64_t start = current_cycle();
  std::vector<uint32_t> ids;
  const auto finish = [&](std::size_t i) {
    JobOutcome& outcome = device.outcomes[i];
    outcome.result = mxe_wait(&device.driver, ids[i], kTimeoutMicroseconds, &outcome.completion);
    outcome.seen_done = current_cycle() - start;
  };
  for (std::size_t i = 0; i < images.size(); i++) {
    if (i >= options_.ring_entries) finish(i - options_.ring_entries);
    uint32_t id = 0;
    demand(mxe_submit(&device.driver, &images[i].descriptor(), &id), "mxe_submit");
    ids.push_back(id);
  }
  const std::size_t rest = std::min<std::size_t>(images.size(), options_.ring_entries);
  for (std::size_t i = images.size() - rest; i < images.size(); i++) finish(i);
  for (std::size_t i = 0; i < images.size(); i++) {
    const std::size_t size = images[i].before().size();
    const uint8_t* memory = host.memory().data(images[i].address(), size);
    device.outcomes[i].memory.assign(memory, memory + size);
  }
  demand(mxe_counters(&device.driver, &device.counters), "mxe_counters");
}

void CoSim::check(const std::vector<Job>& jobs, const std::vector<JobImage>& images) {
  for (std::size_t i = 0; i < jobs.size(); i++) {
    const std::size_t number = cycles_.size();
    const Expectation expected = scoreboard_.expected(jobs[i], images[i]);
    counts_ += expected.counts;
    JobCycles cycles;
    cycles.job = jobs[i].describe();
    for (Device* device : {model_.get(), rtl_.get()}) {
      if (!device) continue;
      const JobOutcome& outcome = device->outcomes[i];
      scoreboard_.check(device->name, number, jobs[i], images[i], expected, outcome);
      (device == model_.get() ? cycles.model : cycles.rtl) = outcome.completion.cycles;
    }
    cycles_.push_back(std::move(cycles));
    if (model_ && rtl_) compare_times(i);
  }
  check_counters();
  if (model_ && rtl_ && options_.cycle_tolerance == 0) compare_counters();
}

void CoSim::compare_times(std::size_t i) {
  const JobCycles& cycles = cycles_.back();
  const double error = cycle_error(cycles);
  const uint64_t model_done = model_->outcomes[i].seen_done, rtl_done = rtl_->outcomes[i].seen_done;
  if (options_.cycle_tolerance >= 0 && error > options_.cycle_tolerance) {
    scoreboard_.add({"both", cycles_.size() - 1,
                     fmt::format("{}: {} cycles on the model, {} on the RTL", cycles.job,
                                 cycles.model, cycles.rtl)});
  } else if (options_.cycle_tolerance == 0 && model_done != rtl_done) {
    scoreboard_.add({"both", cycles_.size() - 1,
                     fmt::format("{}: seen done after {} cycles on the model, {} on the RTL",
                                 cycles.job, model_done, rtl_done)});
  }
}

double CoSim::max_cycle_error() const {
  double largest = 0;
  for (const JobCycles& cycles : cycles_) largest = std::max(largest, cycle_error(cycles));
  return largest;
}

double CoSim::mean_cycle_error() const {
  double sum = 0;
  for (const JobCycles& cycles : cycles_) sum += cycle_error(cycles);
  return cycles_.empty() ? 0 : sum / static_cast<double>(cycles_.size());
}

void CoSim::check_counters() {
  for (const Device* device : {model_.get(), rtl_.get()}) {
    if (!device) continue;
    scoreboard_.check_counts(device->name, cycles_.size(), counts_, device->counters);
    const struct mxe_counters& c = device->counters;
    const uint64_t sum =
        c.mac_active + c.stall_a + c.stall_b + c.stall_c + c.stall_drain + c.stall_latency + c.idle;
    if (c.total != sum) {
      scoreboard_.add({device->name, cycles_.size(),
                       fmt::format("counters: total is {}, its parts add up to {}", c.total, sum)});
    }
  }
}

void CoSim::compare_counters() {
  struct Field {
    const char* name;
    uint64_t mxe_counters::*value;
  };
  static constexpr Field kFields[] = {
      {"total", &mxe_counters::total},
      {"mac_active", &mxe_counters::mac_active},
      {"stall_a", &mxe_counters::stall_a},
      {"stall_b", &mxe_counters::stall_b},
      {"stall_c", &mxe_counters::stall_c},
      {"stall_drain", &mxe_counters::stall_drain},
      {"stall_latency", &mxe_counters::stall_latency},
      {"idle", &mxe_counters::idle},
      {"bytes_read", &mxe_counters::bytes_read},
      {"bytes_written", &mxe_counters::bytes_written},
      {"blocks", &mxe_counters::blocks},
      {"dual_cycles", &mxe_counters::dual_cycles},
      {"nan_results", &mxe_counters::nan_results},
      {"saturations", &mxe_counters::saturations},
  };
  for (const Field& field : kFields) {
    const uint64_t model = model_->counters.*field.value, rtl = rtl_->counters.*field.value;
    if (model == rtl) continue;
    scoreboard_.add(
        {"both", cycles_.size(),
         fmt::format("counter {} is {} on the model, {} on the RTL", field.name, model, rtl)});
  }
}

}  // namespace mxe
