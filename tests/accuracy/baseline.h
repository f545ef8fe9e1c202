// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/accuracy/measurement.h"

namespace mxe {

/// Runs the job that an entry of the baseline describes.
using MeasureEntry = std::function<StreamMeasurement(const nlohmann::ordered_json& entry)>;

/// Measures every job of the baseline in the file `path` and compares its cycles with the recorded
/// ones. With a `reason`, records the new cycles and the reason; but a job with wrong results, or
/// whose cycles on model and RTL differ, is never recorded, and the file then stays as it was.
/// Prints what is wrong on stderr. Returns the exit status: 0, or 1 if anything is wrong.
int check_baseline(const std::string& path, const std::string& reason, const MeasureEntry& measure);

}  // namespace mxe
