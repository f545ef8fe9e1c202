// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/accuracy/measurement.h"
#include "tests/accuracy/workload.h"

namespace mxe::test {

/// Runs `stream` on both engines, in a separate process, because SystemC elaborates only once.
StreamMeasurement measure(const Configuration& configuration, const Stream& stream);

}  // namespace mxe::test
