// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tb/rtl/engine_plugin.h"

namespace mxe {

/// Loads the engine in a shared library, which stays loaded. Throws mx::Error if there is none, or
/// if it was built for other headers than this program.
const EnginePlugin& load_engine_plugin(const std::string& library);

/// Loads the design that the build's target `name` makes (mxe_rtl_plugin() of MxeVerilate.cmake):
/// <name>.so in $MXE_RTL_PATH, beside the program as the build leaves it, where designs are
/// installed, or in the program's RUNPATH. One that is not there is built first if the program lies
/// in a build directory. Throws mx::Error if that fails.
const EnginePlugin& load_design(const std::string& name);

/// How to make that design; it is loaded when the first one is made.
std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> design_factory(
    const std::string& name);

}  // namespace mxe
