// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mxe::explore {

/// The Python 3 in the environment variable MXE_PYTHON; default: python3 in PATH.
std::string python_program();

/// Runs this Python program, without a shell and with empty standard input. Returns its standard
/// output. Throws Error, one line, if Python is missing or the program fails.
std::string run_python(const std::string& text, const std::vector<std::string>& arguments);

}  // namespace mxe::explore
