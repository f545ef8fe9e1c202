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

/// An operand of several jobs that lies in memory once: A or B, elements and scales.
struct CommonOperand {
  enum class Which : uint8_t { none, a, b };

  Which which = Which::none;
  uint64_t address = 0, scale_address = 0;
};

/// The C driver of one engine, run by programs of that engine's host. The first job starts the
/// engine. What a job needs of the memory is given back after it.
class DriverSession {
 public:
  /// See Device::run. Both throw DeviceFailure.
  /// `common`: where operands lie that other engines use as well.
  DeviceResult run(Host& host, const Job& job, const CommonOperand& common = {});
  DeviceResult run(Host& host, const JobShape& shape, const CommonOperand& common = {});

 private:
  void open(Host& host);
  DeviceResult execute(const mxe_job& descriptor);

  std::optional<DriverRing> ring_;
  std::optional<mxe_device> driver_;  // after the first job
};

}  // namespace mxe
