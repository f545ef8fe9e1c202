// SPDX-License-Identifier: Apache-2.0
#define MX_KERNEL_TARGET
#define MX_KERNEL_TABLE pack_kernels_portable
#include "model/numerics/pack_kernels.inc"
