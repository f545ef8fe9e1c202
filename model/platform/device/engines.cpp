// SPDX-License-Identifier: Apache-2.0
#include "model/platform/device/engines.h"

#include <fmt/format.h>

#include "model/numerics/base/error.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#ifdef MXE_WITH_RTL
#include "model/platform/rtl/plugin_loader.h"
#include "model/platform/rtl/rtl_engine.h"
#endif

namespace mxe::device {

#ifdef MXE_WITH_RTL
namespace {

std::unique_ptr<platform::EngineModule> make_rtl(const EngineSetup& setup, const char* name) {
  rtl::RtlOptions options;
  options.ports = setup.ports;
  options.memory_calls = platform::Platform::memory_calls(setup.dram);
  options.waves = setup.waves;
  if (!setup.rtl.empty()) {
    options.make_top = rtl::load_engine_plugin(setup.rtl).make;
    options.zero_masked_lanes = false;
  }
  return std::make_unique<rtl::RtlEngine>(name, setup.params, options);
}

}  // namespace
#endif

std::unique_ptr<platform::EngineModule> make_engine(Target target, const EngineSetup& setup,
                                                    const std::string& name) {
  if (target == Target::model) {
    return std::make_unique<platform::Engine>(name.c_str(), setup, platform::Clock(),
                                              platform::Platform::memory_calls(setup.dram));
  }
#ifdef MXE_WITH_RTL
  if (target == Target::rtl) return make_rtl(setup, name.c_str());
#endif
  throw Error(fmt::format("this build has no '{}' to run on", target_name(target)));
}

}  // namespace mxe::device
