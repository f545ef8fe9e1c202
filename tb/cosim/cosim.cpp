// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/cosim.h"

#include <algorithm>

#include "model/numerics/base/error.h"
#include "model/platform/engine.h"

namespace mxe::cosim {
namespace {

bool shows_counters(const rtl::RtlEngine& engine) {
  const std::vector<rtl::RtlSignal> signals = engine.top().signals();
  return std::any_of(signals.begin(), signals.end(), [](const rtl::RtlSignal& signal) {
    return signal.name() == rtl::RtlEngine::counter_name(0);
  });
}

}  // namespace

CoSim::CoSim(const CoSimOptions& options) : options_(options) {
  if (options.run_model) {
    model_.device = make_device("model", options.params, [this] {
      engine::EngineConfig engine(options_.params);
      engine.ports = options_.rtl.ports;
      engine.watcher = options_.watcher;
      if (options_.structural) engine.arithmetic = engine::make_structural_arithmetic;
      return std::make_unique<platform::Engine>("engine", engine, platform::Clock(),
                                                memory_calls());
    });
  }
  if (options.run_rtl) {
    const EngineFeatures features = options.rtl_features.value_or(options.params);
    rtl_.device = make_device("rtl", features, [this] {
      rtl::RtlOptions rtl = options_.rtl;
      rtl.memory_calls = memory_calls();
      return std::make_unique<rtl::RtlEngine>("engine", options_.params, rtl);
    });
  }
  const bool can_be_set = !rtl_.device || shows_counters(*rtl_engine());
  for (Side* side : {&model_, &rtl_}) {
    if (side->device) side->device->counters_can_be_set = can_be_set;
  }
}

platform::MemoryCalls CoSim::memory_calls() const {
  return platform::Platform::memory_calls(options_.dram);
}

std::unique_ptr<Device> CoSim::make_device(const char* name, const EngineFeatures& features,
                                           const platform::Platform::EngineFactory& factory) const {
  Device::Setup setup;
  setup.name = name;
  setup.features = features;
  setup.memory.base = options_.memory_base;
  setup.memory.size = kCoSimMemoryBytes;
  setup.memory.timing = options_.timing;
  setup.memory.dram = options_.dram;
  setup.ring_entries = options_.ring_entries;
  setup.poll = options_.poll;
  setup.timeout_us = options_.timeout_us;
  return std::make_unique<Device>(setup, factory);
}

rtl::RtlEngine* CoSim::rtl_engine() const {
  return rtl_.device ? &static_cast<rtl::RtlEngine&>(rtl_.device->platform().engine()) : nullptr;
}

uint64_t CoSim::rtl_cycles() const { return rtl_.device ? rtl_engine()->cycles() : 0; }

/// Both memories begin at the same address, so one set of images serves model and RTL.
std::vector<JobImage> CoSim::place(const Batch& batch) const {
  uint64_t address = (model_.device ? model_ : rtl_).device->end_of_ring();
  std::vector<JobImage> images;
  for (std::size_t i = 0; i < batch.jobs.size(); i++) {
    // Job i is moved by 37 * i bytes, rounded to 64, so that 4 KiB boundaries cut each job
    // elsewhere.
    images.emplace_back(batch.jobs[i], address + 37 * i, jobs() + i);
    address = images.back().end();
  }
  return images;
}

void CoSim::run(const std::vector<CosimJob>& jobs) {
  Batch batch;
  batch.jobs = jobs;
  run(batch);
}

void CoSim::run(const Batch& batch) {
  if (broken_ || batch.jobs.empty()) return;
  const std::vector<JobImage> images = place(batch);
  if (!run_engines(batch, images)) return;
  judge_.judge(batch, images, model_.ran(), rtl_.ran());
  if (rtl_.device && options_.observer && mismatches().empty()) {
    options_.observer->batch_compared(rtl_.result.counters, rtl_.result.counters_read);
  }
}

bool CoSim::run_engines(const Batch& batch, const std::vector<JobImage>& images) {
  std::vector<platform::Host*> hosts;
  for (Side* side : {&model_, &rtl_}) {
    if (!side->device) continue;
    hosts.push_back(&side->device->host());
    hosts.back()->start([&, side](platform::Host&) {
      side->result = BatchRun(*side->device, batch, images).run();
    });
  }
  try {
    platform::run_hosts(hosts);
  } catch (const Error& error) {
    judge_.add_failure(
        error.what(),
        rtl_.device ? "states of the RTL: " + rtl::describe(rtl_engine()->top().signals()) : "");
    broken_ = true;
  }
  return !broken_;
}

double CoSim::max_cycle_error() const {
  double largest = 0;
  for (const JobCycles& cycles : this->cycles()) largest = std::max(largest, cycles.error());
  return largest;
}

double CoSim::mean_cycle_error() const {
  double sum = 0;
  for (const JobCycles& cycles : this->cycles()) sum += cycles.error();
  return cycles().empty() ? 0 : sum / static_cast<double>(cycles().size());
}

}  // namespace mxe::cosim
