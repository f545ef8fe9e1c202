// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/accuracy/measurement.h"

namespace mxe::test {

using MeasureEntry = std::function<StreamMeasurement(const nlohmann::ordered_json& entry)>;

/// Compares the cycles of all jobs with the baseline in the file `path`. With a `reason`, records
/// new cycles, unless a result is wrong or model and RTL differ. Returns the exit status: 0, or 1.
int check_baseline(const std::string& path, const std::string& reason, const MeasureEntry& measure);

}  // namespace mxe::test
