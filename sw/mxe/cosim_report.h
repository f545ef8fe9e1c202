// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/mxe/command.h"
#include "tb/regression/regression.h"

namespace mxe::cli {

Json to_json(const RegressionResult& result);

/// The same for people, on stdout: each failure with the command that runs it again.
void print_text(const RegressionResult& result);

/// A JUnit file with a test case for each seed or case file.
void write_junit(const std::string& path, const RegressionResult& result);

}  // namespace mxe::cli
