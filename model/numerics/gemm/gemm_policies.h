// SPDX-License-Identifier: Apache-2.0
// The accumulation rules of gemm.h. Each function computes rows first_row .. last_row - 1 of out
// [M][N]. The caller has checked the tensors. gemm_block_into() needs blocks of 32,
// gemm_blackwell_into() these or is_mxf4nvf4() with one kind of scales.
#pragma once

#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

void gemm_block_into(const MxTensor& a, const MxTensor& b, const float* bias, bool dual,
                     std::size_t first_row, std::size_t last_row, float* out);
/// gemm_block_into for NVFP4 twice.
void gemm_nvfp4_into(const MxTensor& a, const MxTensor& b, const float* start, bool dual,
                     std::size_t first_row, std::size_t last_row, float* out);
void gemm_exact_into(const MxTensor& a, const MxTensor& b, const float* bias, std::size_t first_row,
                     std::size_t last_row, float* out);
void gemm_sequential_into(const MxTensor& a, const MxTensor& b, const float* bias,
                          std::size_t first_row, std::size_t last_row, float* out);
/// True for operands of NVIDIA's mxf4nvf4 with scale vectors of 4: E2M1 in blocks of 16 with UE4M3
/// or E8M0 scales.
bool is_mxf4nvf4(const ScaledFormat& format);
void gemm_blackwell_into(const MxTensor& a, const MxTensor& b, const float* bias,
                         std::size_t first_row, std::size_t last_row, float* out);

}  // namespace mxe::numerics
