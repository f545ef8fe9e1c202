// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::cli {

/// Versions, one line each: MXE with its commit, compiler, SystemC, Verilator.
std::string version_text();

}  // namespace mxe::cli
