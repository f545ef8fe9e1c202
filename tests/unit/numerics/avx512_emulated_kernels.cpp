// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/kernels/gemm_avx512.inc"
