// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/rtl/rtl_top.h"

// Names what an engine and the program that loads it must have in common: the headers between them
// (MXE_ENGINE_INTERFACE, a digest that MxeVerilate.cmake defines for both) and the compiler's ABI.
#define MXE_TEXT_OF_(x) #x
#define MXE_TEXT_OF(x) MXE_TEXT_OF_(x)
#define MXE_ENGINE_INTERFACE_NAME \
  MXE_ENGINE_INTERFACE "-" MXE_TEXT_OF(__GXX_ABI_VERSION) "-" MXE_TEXT_OF(_GLIBCXX_USE_CXX11_ABI)

namespace mxe {

/// What an engine in a shared library exports, under the C name `mxe_engine`, so that
/// `mxe cosim --rtl` can run it. mxe_engine() of MxeVerilate.cmake makes such a library.
struct EnginePlugin {
  const char* interface;    ///< MXE_ENGINE_INTERFACE_NAME; if it differs, the rest means nothing
  const char* description;  ///< JSON: docs/bring-your-own-rtl.md
  const char* top;          ///< name of the top module
  const char* sources;      ///< digest of RTL, parameters and macros (tb/record_sources.cmake)
  /// Makes the simulated design; `waves` is the path of an FST file, or empty for none.
  std::unique_ptr<RtlTop> (*make)(const Params& params, const std::string& waves);
};

}  // namespace mxe
