// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe {

/// Has CMake build the target, if this program lies in MXE's build folder; elsewhere does nothing.
/// One process at a time builds. Throws mx::Error if the build fails.
void build_on_demand(const std::string& target);

}  // namespace mxe
