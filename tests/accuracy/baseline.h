// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/accuracy/measurement.h"

namespace mxe::test {

using MeasureEntry = std::function<StreamMeasurement(const nlohmann::ordered_json& entry)>;

/// Measures every job of the baseline in the file `path` and compares its cycles with the recorded
/// ones. With a `reason`, records the new cycles and the reason. If a job has wrong results, or
/// different cycles on model and RTL, the file stays unchanged. Prints problems on stderr. Returns
/// the exit status: 0, or 1 for a problem.
int check_baseline(const std::string& path, const std::string& reason, const MeasureEntry& measure);

}  // namespace mxe::test
