#include "engines.h"

#include <fmt/format.h>

#include "numerics/error.h"
#ifdef MXE_WITH_RTL
#include "tb/rtl_engine.h"
#endif

namespace mxe::cli {
namespace {

#ifdef MXE_WITH_RTL
std::unique_ptr<EngineModule> make_rtl(const EngineSetup& setup) {
  RtlOptions options;
  options.waves = setup.waves;
  return std::make_unique<RtlEngine>("engine", setup.params, options);
}
#endif

}  // namespace

std::vector<Target> device_targets() {
#ifdef MXE_WITH_RTL
  return {Target::rtl};
#else
  return {};
#endif
}

std::unique_ptr<EngineModule> make_engine(Target target, const EngineSetup& setup) {
#ifdef MXE_WITH_RTL
  if (target == Target::rtl) return make_rtl(setup);
#endif
  (void)setup;
  throw mx::Error(fmt::format("this build has no '{}' to run on", target_name(target)));
}

}  // namespace mxe::cli
