// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/kernels/block_kernels.h"

#include <algorithm>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/block.h"

namespace mxe::numerics {

BlockKernels block_kernels(FormatId format, SimdLevel level) {
  switch (level) {
    case SimdLevel::portable:
      break;
    case SimdLevel::avx2:
      return block_kernels_avx2(format);
    case SimdLevel::avx512:
      return block_kernels_avx512(format);
  }
  return block_kernels_portable(format);
}

uint8_t ocp_scale_code(uint32_t amax, FormatId format, ScaleRule rule) {
  if (!is_finite_bits(amax)) return kNanScale;
  if (amax == 0) return 0;
  const int exponent = exact_scale_exponent(float_parts(amax), element_format(format), rule);
  return static_cast<uint8_t>(std::clamp(exponent, -kScaleBias, kScaleBias) + kScaleBias);
}

}  // namespace mxe::numerics
