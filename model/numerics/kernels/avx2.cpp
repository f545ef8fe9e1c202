// SPDX-License-Identifier: Apache-2.0
// The AVX2 kernels. On other processors than x86-64 none is called: those of GEMM are left out, the
// others are compiled as plain code.
#if defined(__x86_64__)
#define MX_AVX2 __attribute__((target("avx2")))
#define MX_AVX2_F16C __attribute__((target("avx2,f16c")))
#define MX_VECTOR_KERNELS "model/numerics/kernels/encode_avx2.inc"
#else
#define MX_AVX2
#define MX_AVX2_F16C
#endif

#define MX_KERNEL_TARGET MX_AVX2
#define MX_KERNEL_TABLE block_kernels_avx2
#include "model/numerics/kernels/block_kernels.inc"

#define MX_KERNEL_TARGET MX_AVX2
#define MX_KERNEL_TABLE pack_kernels_avx2
#include "model/numerics/kernels/pack_kernels.inc"

#define MX_KERNEL_TARGET MX_AVX2_F16C
#define MX_PRESET_KERNELS preset_kernels_avx2
#include "model/numerics/kernels/gemm_avx2.inc"
#include "model/numerics/kernels/preset_kernels.inc"
