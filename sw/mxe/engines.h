#pragma once

#include <memory>
#include <vector>

#include "engine_choice.h"
#include "matmul_job.h"
#include "platform/engine_module.h"

namespace mxe::cli {

/// The devices this build has.
std::vector<Target> device_targets();

/// Makes the model or the RTL as a child of the module under construction. Throws mx::Error if this
/// build lacks it, or if the RTL was not built with these parameters.
std::unique_ptr<EngineModule> make_engine(Target target, const EngineSetup& setup);

}  // namespace mxe::cli
