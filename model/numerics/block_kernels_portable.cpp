#define MX_KERNEL_TARGET
#define MX_KERNEL_TABLE block_kernels_portable
#include "numerics/block_kernels.inc"
