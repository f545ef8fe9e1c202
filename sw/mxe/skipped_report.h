// SPDX-License-Identifier: Apache-2.0
// Reports the arrays that a command skips.
#pragma once

#include <vector>

#include "sw/mxe/arrays.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

void print_skipped(const std::vector<Skipped>& skipped);

Json to_json(const std::vector<Skipped>& skipped);

}  // namespace mxe::cli
