// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tb/regression/regression.h"

namespace mxe {

/// Writes a file atomically: it is complete or absent, even if the process is killed or others
/// write the same file.
void save_results(const std::string& path, const SeedResults& results);

/// The inverse. Throws mx::Error naming the file.
SeedResults load_results(const std::string& path);

/// Puts files with parts of a regression together, in any order. Throws mx::Error unless they hold
/// every seed that `options` ask for once and no other, run as the options say. `seconds` is the
/// sum.
SeedResults merge_results(const std::vector<std::string>& paths, const RegressionOptions& options);

}  // namespace mxe
