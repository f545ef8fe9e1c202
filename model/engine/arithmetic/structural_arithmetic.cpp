// SPDX-License-Identifier: Apache-2.0
#include "model/engine/arithmetic/structural_arithmetic.h"

namespace mxe::engine {

std::unique_ptr<Arithmetic> make_structural_arithmetic(const Params& params) {
  return make_structural_arithmetic_with<blocks::RtlAccumulator>(params);
}

}  // namespace mxe::engine
