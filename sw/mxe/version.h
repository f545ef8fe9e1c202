// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::cli {

/// What this program is and what it was made with, one line each: version and commit of MXE,
/// compiler, SystemC, Verilator.
std::string version_text();

}  // namespace mxe::cli
