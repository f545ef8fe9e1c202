// SPDX-License-Identifier: Apache-2.0
// Compiled once per engine of mxe_engine() and per design of mxe_rtl_plugin(). MXE_CLASS: Verilated
// class; MXE_CLASS_FST: with waves (optional); MXE_TOP: top module. MXE_DESCRIPTION, MXE_SOURCES:
// files with string literals.
#include "model/platform/rtl/engine_plugin.h"

#include "model/numerics/base/error.h"

#define MXE_JOIN_(a, b) a##b
#define MXE_JOIN(a, b) MXE_JOIN_(a, b)

namespace mxe::rtl {

std::unique_ptr<RtlTop> MXE_JOIN(make_, MXE_CLASS)(const Params&, const std::string&);
#ifdef MXE_CLASS_FST
std::unique_ptr<RtlTop> MXE_JOIN(make_, MXE_CLASS_FST)(const Params&, const std::string&);
#endif

static std::unique_ptr<RtlTop> make(const Params& params, const std::string& waves) {
  if (waves.empty()) return MXE_JOIN(make_, MXE_CLASS)(params, waves);
#ifdef MXE_CLASS_FST
  return MXE_JOIN(make_, MXE_CLASS_FST)(params, waves);
#else
  throw Error("this engine has no waves");
#endif
}

}  // namespace mxe::rtl

static const char description[] =
#include MXE_DESCRIPTION
    ;

static const char sources[] =
#include MXE_SOURCES
    ;

extern "C" __attribute__((visibility("default"))) const mxe::rtl::EnginePlugin mxe_engine;
const mxe::rtl::EnginePlugin mxe_engine = {MXE_ENGINE_INTERFACE_NAME, description, MXE_TOP, sources,
                                           mxe::rtl::make};
