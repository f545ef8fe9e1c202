// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/rtl/engine_plugin.h"

namespace mxe {

/// Loads the engine in a shared library, which stays loaded. Throws mx::Error if there is none, or
/// if it was built for other headers than this program.
const EnginePlugin& load_engine_plugin(const std::string& library);

}  // namespace mxe
