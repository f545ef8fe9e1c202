// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include "mxe_driver.h"

namespace mxe::harness {

/// A device hung, violated a protocol or reported an error: no user error, so not exit status 2.
struct DeviceFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr uint32_t kSingleJobRing = 2;

struct JobRun {
  uint64_t cycles = 0;              ///< from the descriptor fetch to the completion record
  struct mxe_counters counters {};  ///< of this job only
};

/// Opens the device. Throws DeviceFailure with the driver's message.
mxe_device open_device(const mxe_port& port, const mxe_ring& ring);
/// Runs one job on an idle device. Throws DeviceFailure with the driver's message.
JobRun run_job(mxe_device& device, const mxe_job& job);

}  // namespace mxe::harness
