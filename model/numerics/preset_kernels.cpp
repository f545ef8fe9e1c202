// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/preset_kernels.h"

namespace mx {

PresetKernels preset_kernels(const EncodeRule& rule, ScaleArithmetic arithmetic, SimdLevel level) {
  switch (level) {
    case SimdLevel::portable:
      break;
    case SimdLevel::avx2:
      return preset_kernels_avx2(rule, arithmetic);
    case SimdLevel::avx512:
      return preset_kernels_avx512(rule, arithmetic);
  }
  return preset_kernels_portable(rule, arithmetic);
}

}  // namespace mx
