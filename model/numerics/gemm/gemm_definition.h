// SPDX-License-Identifier: Apache-2.0
// The definition of the engine's matrix product for every pair of operands, in scalar steps. gemm()
// gives the same bits, for most pairs faster.
#pragma once

#include <cstddef>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/pair_rule.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

/// Products k to k + count - 1 of row i of A and row j of B, which share both scales: elements and
/// scales are multiplied exactly. NaN in an element or a scale, Inf * 0 and Inf - Inf give nan.
BlockDot part_dot(const MxTensor& a, std::size_t i, const MxTensor& b, std::size_t j, std::size_t k,
                  std::size_t count);

/// RNE_fp32(acc + S) as float32 bits, with one rounding: S is the exact sum of the products of the
/// step that begins at element k.
uint32_t definition_step(uint32_t acc, const MxTensor& a, std::size_t i, const MxTensor& b,
                         std::size_t j, std::size_t k, const PairRule& rule);

/// Rows first_row .. last_row - 1 of out [M][N]; start [M][N] are the accumulators' first values,
/// null for zeros.
void gemm_definition_into(const MxTensor& a, const MxTensor& b, const float* start, bool dual,
                          std::size_t first_row, std::size_t last_row, float* out);

/// The result of a sum in a job with ALPHA: fl(fl(alpha * sum) + *c), and fl(alpha * sum) if c is
/// null. A product or a sum that is exactly zero is +0; an underflow keeps its sign. Example: alpha
/// -2 and sum 0 give +0, alpha -2^-100 and sum 2^-100 give -0.
float apply_alpha(float alpha, float sum, const float* c);

}  // namespace mxe::numerics
