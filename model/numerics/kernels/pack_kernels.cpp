// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/kernels/pack_kernels.h"

namespace mxe::numerics {

const PackKernels& pack_kernels(SimdLevel level) {
  return level == SimdLevel::portable ? pack_kernels_portable() : pack_kernels_avx2();
}

}  // namespace mxe::numerics
