// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "model/job/job.h"
#include "model/platform/driver_port.h"
#include "model/platform/host.h"
#include "mxe_driver.h"
#include "sw/device/device.h"

namespace mxe {

/// Throws mx::Error if a job of these parts is too large for so many bytes.
void require_room(JobParts parts, std::size_t memory);

/// The C driver of one engine, run by programs of that engine's host. The first job starts the
/// engine. What a job needs of the memory is given back after it.
class DriverSession {
 public:
  /// See Device::run. Both throw DeviceFailure.
  DeviceResult run(Host& host, const Job& job);
  DeviceResult run(Host& host, const JobShape& shape);

 private:
  void open(Host& host);
  DeviceResult execute(const mxe_job& descriptor);

  std::optional<DriverRing> ring_;
  std::optional<mxe_device> driver_;  // after the first job
};

}  // namespace mxe
