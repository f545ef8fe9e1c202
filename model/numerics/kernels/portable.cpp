// SPDX-License-Identifier: Apache-2.0
// The kernels for any processor: plain C++ and the GCC vector types. None for GEMM.
#define MX_KERNEL_TARGET
#define MX_KERNEL_TABLE block_kernels_portable
#include "model/numerics/kernels/block_kernels.inc"

#define MX_KERNEL_TARGET
#define MX_KERNEL_TABLE pack_kernels_portable
#include "model/numerics/kernels/pack_kernels.inc"

#define MX_KERNEL_TARGET
#define MX_PRESET_KERNELS preset_kernels_portable
#include "model/numerics/kernels/preset_kernels.inc"
