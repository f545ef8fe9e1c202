// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/base/simd.h"

namespace mxe {

bool runs_simd_level(SimdLevel level) {
#if defined(__x86_64__)
  switch (level) {
    case SimdLevel::portable:
      return true;
    case SimdLevel::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("f16c");
    case SimdLevel::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512vnni");
  }
#endif
  return level == SimdLevel::portable;
}

SimdLevel best_simd_level() {
  static const SimdLevel best = runs_simd_level(SimdLevel::avx512) ? SimdLevel::avx512
                                : runs_simd_level(SimdLevel::avx2) ? SimdLevel::avx2
                                                                   : SimdLevel::portable;
  return best;
}

const char* simd_level_name(SimdLevel level) {
  switch (level) {
    case SimdLevel::portable:
      return "portable";
    case SimdLevel::avx2:
      return "avx2";
    case SimdLevel::avx512:
      return "avx512";
  }
  return "";
}

}  // namespace mxe
