// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define MX_KERNEL_TARGET __attribute__((target("avx2,f16c")))
#define MX_VECTOR_KERNELS "model/numerics/encode_avx2.inc"
#else
#define MX_KERNEL_TARGET
#endif
#define MX_PRESET_KERNELS preset_kernels_avx2
#include "model/numerics/preset_kernels.inc"
