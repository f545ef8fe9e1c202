// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mxe::explore {

/// The Python 3 that the environment names in MXE_PYTHON, or else python3 of PATH.
std::string python_program();

/// Runs a Python program of this text, without a shell, with an empty standard input. Returns its
/// standard output. Throws mx::Error, one line, if there is no Python or the program fails.
std::string run_python(const std::string& text, const std::vector<std::string>& arguments);

}  // namespace mxe::explore
