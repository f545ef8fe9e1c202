// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/job/job.h"
#include "model/job/products.h"
#include "sw/device/engine_setup.h"
#include "sw/device/target.h"

namespace mxe {

/// The engine's counters by name, in the order of the registers; "total" is the first.
using CounterValues = std::vector<std::pair<std::string, uint64_t>>;

/// What a device did with a job.
struct DeviceResult {
  StoredOutput output;
  uint64_t cycles = 0;      ///< from the fetch of the descriptor to its completion record
  CounterValues counters;   ///< of this job alone
  double wall_seconds = 0;  ///< of simulating it

  uint64_t counter(const std::string& name) const;
};

/// Thrown when a device does not do its job: it hung, broke a protocol or reported an error. That
/// is not the user's fault, therefore the exit status is not 2.
struct DeviceFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An engine (model or RTL) on a platform of its own, run by the C driver: a job sees nothing but
/// registers, memory and the interrupt.
///
/// SystemC elaborates once per process, so make all devices before the first job runs.
class Device {
 public:
  /// Throws mx::Error if this build cannot make such a device.
  Device(Target target, const EngineSetup& setup);
  ~Device();
  Device(Device&&) noexcept;

  Target target() const;

  /// Runs one job to its end. Throws DeviceFailure if the device fails, mx::Error if the job does
  /// not fit into the memory or a descriptor.
  DeviceResult run(const Job& job);
  /// Runs the products one after the other and adds up cycles and counters. An empty result takes
  /// no cycles. Throws mx::Error for K = 0, which no descriptor can ask for.
  DeviceResult run(const Products& products);
  /// Runs a job of this shape on whatever is in memory. The result has no output.
  DeviceResult run(const JobShape& shape);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mxe
