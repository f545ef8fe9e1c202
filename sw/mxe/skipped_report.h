// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/arrays/arrays.h"
#include "sw/mxe/command.h"

namespace mxe::cli {

void print_skipped(const std::vector<arrays::Skipped>& skipped);

Json skipped_json(const std::vector<arrays::Skipped>& skipped);

}  // namespace mxe::cli
