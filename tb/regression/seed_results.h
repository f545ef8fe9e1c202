// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tb/regression/regression.h"

namespace mxe::regression {

/// Replaces the file in one step, so that a killed process leaves no partial file.
void save_results(const std::string& path, const SeedResults& results);

SeedResults load_results(const std::string& path);

/// Merges the results of parts of a regression, in any order; `seconds` is the sum. Throws Error
/// unless they have the same settings and contain every seed of `options` exactly once.
SeedResults merge_results(const std::vector<std::string>& paths, const RegressionOptions& options);

}  // namespace mxe::regression
