// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tb/regression/regression.h"

namespace mxe::regression {

/// Writes atomically, also if the process is killed or several processes write the file.
void save_results(const std::string& path, const SeedResults& results);

/// Throws Error naming the file.
SeedResults load_results(const std::string& path);

/// Merges result files of parts of a regression, in any order. Throws Error unless they contain
/// every seed of `options` exactly once, no other seed, and the same settings. `seconds` is the
/// sum.
SeedResults merge_results(const std::vector<std::string>& paths, const RegressionOptions& options);

}  // namespace mxe::regression
