// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "model/job/job.h"
#include "model/platform/device/device.h"
#include "model/platform/driver_port.h"
#include "model/platform/host.h"
#include "mxe_driver.h"

namespace mxe::device {

CounterValues no_counts();

/// Throws Error if these parts and 4 KiB, for alignment and the ring, exceed `memory` bytes.
void require_room(job::JobParts parts, std::size_t memory);

/// The operand, A or B, that several engines share in memory; null if none.
struct CommonOperand {
  job::JobPart job::JobParts::*elements = nullptr;
  job::JobPart job::JobParts::*scales = nullptr;
  uint64_t address = 0, scale_address = 0;
};

/// The C driver of one engine, run by programs on its host. The first job starts the engine. Each
/// job's memory is released after the job.
class DriverSession {
 public:
  DeviceResult run(platform::Host& host, const job::Job& job, const CommonOperand& common = {});
  DeviceResult run(platform::Host& host, const job::JobShape& shape,
                   const CommonOperand& common = {});

 private:
  void open(platform::Host& host);
  DeviceResult execute(const mxe_job& descriptor);

  std::optional<platform::DriverRing> ring_;
  std::optional<mxe_device> driver_;  // opened by the first job
};

}  // namespace mxe::device
