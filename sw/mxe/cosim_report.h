// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/mxe/command.h"
#include "tb/regression/regression.h"

namespace mxe::cli {

Json to_json(const regression::RegressionResult& result);

/// Prints each failure with the command that reproduces it.
void print_text(const regression::RegressionResult& result);

void write_junit(const std::string& path, const regression::RegressionResult& result);

}  // namespace mxe::cli
