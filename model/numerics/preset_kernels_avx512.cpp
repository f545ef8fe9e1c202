// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define MX_KERNEL_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#else
#define MX_KERNEL_TARGET
#endif
#define MX_PRESET_KERNELS preset_kernels_avx512
#include "model/numerics/preset_kernels.inc"
