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

/// The engine's counters, all 0.
CounterValues no_counts();

/// Throws mx::Error if a job of these parts is too large for so many bytes.
void require_room(JobParts parts, std::size_t memory);

/// The parts of an operand, A or B, that lies in memory once for the jobs of several engines; null
/// if there is none.
struct CommonOperand {
  JobPart JobParts::*elements = nullptr;
  JobPart JobParts::*scales = nullptr;
  uint64_t address = 0, scale_address = 0;
};

/// The C driver of one engine, run by programs of that engine's host. The first job starts the
/// engine. What a job needs of the memory is given back after it.
class DriverSession {
 public:
  /// See Device::run. Both throw DeviceFailure.
  /// `common`: the operand that other engines use as well.
  DeviceResult run(Host& host, const Job& job, const CommonOperand& common = {});
  DeviceResult run(Host& host, const JobShape& shape, const CommonOperand& common = {});

 private:
  void open(Host& host);
  DeviceResult execute(const mxe_job& descriptor);

  std::optional<DriverRing> ring_;
  std::optional<mxe_device> driver_;  // after the first job
};

}  // namespace mxe
