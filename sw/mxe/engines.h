#pragma once

#include <memory>

#include "matmul_job.h"
#include "platform/engine_module.h"

namespace mxe::cli {

/// Makes the model or the RTL as a child of the module under construction. Throws mx::Error if this
/// build lacks it, or if the RTL was not built with these parameters.
std::unique_ptr<EngineModule> make_engine(Target target, const Params& params);

}  // namespace mxe::cli
