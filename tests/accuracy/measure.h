// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/accuracy/measurement.h"
#include "tests/accuracy/workload.h"

namespace mxe {

/// Runs `stream` on both engines side by side. In a process of its own, because SystemC elaborates
/// only once.
StreamMeasurement measure(const Configuration& configuration, const Stream& stream);

}  // namespace mxe
