// SPDX-License-Identifier: Apache-2.0
#define MX_KERNEL_TARGET
#define MX_PRESET_KERNELS preset_kernels_portable
#include "model/numerics/preset_kernels.inc"
