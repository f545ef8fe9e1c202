// SPDX-License-Identifier: Apache-2.0
// The AVX-512 kernels. On other processors than x86-64 none is called: those of GEMM are left out,
// the others are compiled as plain code.
#if defined(__x86_64__)
#define MX_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#else
#define MX_AVX512
#endif

#define MX_KERNEL_TARGET MX_AVX512
#define MX_KERNEL_TABLE block_kernels_avx512
#include "model/numerics/kernels/block_kernels.inc"

#define MX_KERNEL_TARGET MX_AVX512
#define MX_PRESET_KERNELS preset_kernels_avx512
#include "model/numerics/kernels/gemm_avx512.inc"
#include "model/numerics/kernels/preset_kernels.inc"
