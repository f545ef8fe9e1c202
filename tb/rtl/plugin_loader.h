// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tb/rtl/engine_plugin.h"

namespace mxe {

/// Loads the engine in a shared library, which stays loaded. Throws mx::Error if there is none, if
/// it was built for other headers than this program, or if its sources were edited after it was
/// built (design_sources.h).
const EnginePlugin& load_engine_plugin(const std::string& library);

/// Loads the design that the build's target `name` makes (mxe_rtl_plugin() of MxeVerilate.cmake):
/// <name>.so in $MXE_RTL_PATH, beside the program as the build leaves it, where designs are
/// installed, or in the program's RUNPATH. A design that is missing, or whose sources were edited
/// after it was built, is built if may_build() (build_target.h); otherwise throws mx::Error, which
/// names the command that builds it. A design that this process has loaded is returned unchecked.
const EnginePlugin& load_design(const std::string& name);

/// Throws mx::Error unless both designs were built from the same sources, parameters and macros.
void require_same_sources(const std::string& name, const std::string& other);

/// How to make that design; it is loaded when the first one is made.
std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> design_factory(
    const std::string& name);

}  // namespace mxe
