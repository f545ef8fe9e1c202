// SPDX-License-Identifier: Apache-2.0
// The AVX-512 GEMM kernels as CMakeLists.txt compiles them, with emulated intrinsics.
#include "model/numerics/kernels/gemm_avx512.inc"
