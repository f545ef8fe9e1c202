// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/accuracy/measurement.h"

namespace mxe::test {

using MeasureEntry = std::function<StreamMeasurement(const nlohmann::ordered_json& entry)>;

/// Measures the jobs of the baseline in the file `path` and compares their cycles. With a `reason`,
/// records the new cycles and the reason, unless a result is wrong or model and RTL differ. Prints
/// problems on stderr. Returns the exit status: 0, or 1 for a problem.
int check_baseline(const std::string& path, const std::string& reason, const MeasureEntry& measure);

}  // namespace mxe::test
