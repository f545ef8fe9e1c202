// SPDX-License-Identifier: Apache-2.0
#define MX_KERNEL_TARGET
#define MX_KERNEL_TABLE block_kernels_portable
#include "model/numerics/block_kernels.inc"
