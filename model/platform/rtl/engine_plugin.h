// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/platform/rtl/rtl_top.h"

// Interface version of an engine and the loading program: a digest of the shared headers
// (MXE_ENGINE_INTERFACE from MxeEngineInterface.cmake) and the compiler's ABI.
#define MXE_TEXT_OF_(x) #x
#define MXE_TEXT_OF(x) MXE_TEXT_OF_(x)
#define MXE_ENGINE_INTERFACE_NAME \
  MXE_ENGINE_INTERFACE "-" MXE_TEXT_OF(__GXX_ABI_VERSION) "-" MXE_TEXT_OF(_GLIBCXX_USE_CXX11_ABI)

namespace mxe::rtl {

/// The symbol `mxe_engine` of a library of mxe_engine() (MxeVerilate.cmake), for `mxe cosim --rtl`.
struct EnginePlugin {
  const char* interface;    ///< if not MXE_ENGINE_INTERFACE_NAME: incompatible
  const char* description;  ///< JSON, see docs/bring-your-own-rtl.md
  const char* top;
  const char*
      sources;  ///< digest of RTL, parameters and macros (model/platform/rtl/record_sources.cmake)
  /// Creates the simulated design; `waves` is the path of an FST file, or empty for none.
  std::unique_ptr<RtlTop> (*make)(const Params& params, const std::string& waves);
};

}  // namespace mxe::rtl
