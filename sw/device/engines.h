// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/platform/engine_module.h"
#include "sw/device/engine_setup.h"
#include "sw/device/target.h"

namespace mxe {

/// Makes the model or the RTL as a child of the module under construction. Throws mx::Error if this
/// build lacks it, or if the RTL was not built with these parameters.
std::unique_ptr<EngineModule> make_engine(Target target, const EngineSetup& setup,
                                          const std::string& name = "engine");

}  // namespace mxe
