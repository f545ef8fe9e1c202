// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/harness/driver_jobs.h"
#include "model/job/job.h"
#include "model/job/products.h"
#include "model/platform/device/engine_setup.h"
#include "model/platform/device/target.h"

namespace mxe::device {

/// Counters by name in register order; "total" is the first.
using CounterValues = std::vector<std::pair<std::string, uint64_t>>;

struct DeviceResult {
  job::StoredOutput output;
  uint64_t cycles = 0;      ///< from the descriptor fetch to the completion record
  CounterValues counters;   ///< of this job only
  double wall_seconds = 0;  ///< wall-clock time of the simulation

  uint64_t counter(const std::string& name) const;
};

/// An engine (model or RTL) on its own platform, run by the C driver. SystemC elaborates once per
/// process, so create all devices before the first job runs.
class Device {
 public:
  /// Throws Error for a target or setup that this build does not support.
  Device(Target target, const EngineSetup& setup);
  ~Device();
  Device(Device&&) noexcept;

  Target target() const;

  /// Throws DeviceFailure if the device fails, Error if memory or a descriptor cannot hold the job.
  DeviceResult run(const job::Job& job);
  /// Runs the products one by one and adds up cycles and counters. An empty result takes 0 cycles.
  /// Throws Error for K = 0, which descriptors cannot express.
  DeviceResult run(const job::Products& products);
  /// Runs a job of this shape on the current memory contents. The result has no output.
  DeviceResult run(const job::JobShape& shape);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mxe::device
