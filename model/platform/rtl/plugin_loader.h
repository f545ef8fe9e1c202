// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "model/platform/rtl/engine_plugin.h"

namespace mxe::rtl {

/// Loads the engine from a shared library and keeps it loaded. Throws Error if the file is
/// missing, has another interface version, or if its sources were edited since (design_sources.h).
const EnginePlugin& load_engine_plugin(const std::string& library);

/// Loads the design `name`, a target of mxe_rtl_plugin() (MxeVerilate.cmake): <name>.so in
/// $MXE_RTL_PATH, in rtl/ next to the program, with the installed designs, or in the RUNPATH. If it
/// is missing or its sources were edited, builds it if may_build() in a build folder
/// (build_target.h), else throws Error with the build command. A loaded design is returned
/// unchecked.
const EnginePlugin& load_design(const std::string& name);

/// Throws Error unless both designs have the same sources, parameters and macros.
void require_same_sources(const std::string& name, const std::string& other);

/// Returns a factory that loads the design at its first call.
std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> design_factory(
    const std::string& name);

}  // namespace mxe::rtl
