// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define MX_KERNEL_TARGET __attribute__((target("avx2")))
#else
#define MX_KERNEL_TARGET
#endif
#define MX_KERNEL_TABLE pack_kernels_avx2
#include "model/numerics/pack_kernels.inc"
