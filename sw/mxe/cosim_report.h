// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/mxe/command.h"
#include "tb/regression/regression.h"

namespace mxe::cli {

Json to_json(const RegressionResult& result);

/// Prints the report on stdout: each failure with the command that reproduces it.
void print_text(const RegressionResult& result);

void write_junit(const std::string& path, const RegressionResult& result);

}  // namespace mxe::cli
