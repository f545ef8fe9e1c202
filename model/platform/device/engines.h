// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/platform/device/engine_setup.h"
#include "model/platform/device/target.h"
#include "model/platform/engine_module.h"

namespace mxe::device {

/// Creates the model or the RTL as a child of the module under construction. Throws Error if
/// this build does not support it, or if no RTL was built with these parameters.
std::unique_ptr<platform::EngineModule> make_engine(Target target, const EngineSetup& setup,
                                                    const std::string& name = "engine");

}  // namespace mxe::device
