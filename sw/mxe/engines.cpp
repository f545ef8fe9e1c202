#include "engines.h"

#include "numerics/error.h"

namespace mxe::cli {

std::unique_ptr<EngineModule> make_engine(Target, const Params&) {
  throw mx::Error("this build has only the reference (allowed: golden)");
}

}  // namespace mxe::cli
