// SPDX-License-Identifier: Apache-2.0
// What commands say about the arrays of a file that they leave out.
#pragma once

#include <vector>

#include "sw/mxe/arrays.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

/// Prints a line for each, and nothing for none.
void print_skipped(const std::vector<Skipped>& skipped);

Json to_json(const std::vector<Skipped>& skipped);

}  // namespace mxe::cli
