// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "model/job/output.h"
#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/format.h"
#include "model/params/params.h"

namespace mxe::engine {

inline constexpr std::size_t kDescriptorBytes = 128;
using DescriptorBytes = std::array<uint8_t, kDescriptorBytes>;

/// The fields of a job's descriptor. Strides are in bytes.
struct Descriptor {
  uint32_t job_id = 0;
  uint32_t format_a = 0, format_b = 0, out_format = 0;          ///< codes, unchecked
  uint32_t scale_a = 0, scale_b = 0, block_a = 0, block_b = 0;  ///< codes, unchecked
  bool alpha = false;       ///< results are alpha_bits * sums + C; the sums start at 0
  uint32_t alpha_bits = 0;  ///< binary32
  bool bias = false;
  bool bias_bf16 = false;
  bool early = false;        ///< operands may be read before earlier jobs have ended
  bool out_special = false;  ///< saturated MX results become NaN or infinity
  numerics::ScaleRule out_rule = numerics::ScaleRule::floor;
  uint32_t m = 0, n = 0, k = 0;  ///< of each product
  uint32_t batch = 1;            ///< number of products, stacked by rows
  uint64_t a_addr = 0, b_addr = 0, a_scale_addr = 0, b_scale_addr = 0, c_addr = 0, d_addr = 0;
  uint64_t d_scale_addr = 0;
  uint32_t a_stride = 0, b_stride = 0, a_scale_stride = 0, b_scale_stride = 0;
  uint32_t c_stride = 0, d_stride = 0, d_scale_stride = 0;

  numerics::FormatId a() const { return static_cast<numerics::FormatId>(format_a); }
  numerics::FormatId b() const { return static_cast<numerics::FormatId>(format_b); }
  /// Format of FP32, BF16 or FP16 results; null for MX results and illegal codes.
  const job::NumberFormat* numbers_out() const;
  bool has_mx_out() const;
  uint64_t a_rows() const { return uint64_t{batch} * m; }
  uint64_t b_rows() const { return uint64_t{batch} * n; }
  numerics::FormatId mx_out() const;
  /// C is where the sums start; C is added to the results.
  bool starts_at_bias() const { return bias && !alpha; }
  bool adds_bias() const { return bias && alpha; }
};

Descriptor parse_descriptor(const DescriptorBytes& bytes);

/// MXE_STATUS_OK, or the status of the first violated rule (mxe_check).
uint32_t check_descriptor(const DescriptorBytes& bytes, const Params& params);

/// True if both operands have 4-bit elements and FP4_DUAL is 1.
bool is_dual(const Descriptor& job, const Params& params);

/// True if both operands are NVFP4: E2M1 in blocks of 16 with UE4M3 scales.
bool is_nvfp4(const Descriptor& job);
/// Elements that share a scale, by the code of the descriptor: 16, 32, 64 or 128.
unsigned block_elements(uint32_t code);
/// log2 of the blocks of 32 that share a scale, by the code: 0 for 16 and 32, 1 for 64, 2 for 128.
unsigned coarse_blocks(uint32_t code);
/// Elements of the blocks in which loaders and buffers count: 32, with NVFP4 16.
unsigned scale_block(const Descriptor& job);
/// Scales of an operand word: one per block of 32 or two per block of 16, twice at the dual rate.
unsigned word_scales(const Descriptor& job, const Params& params);
/// True if the job has two chains of sums: even and odd blocks of 32.
bool has_two_chains(const Descriptor& job, const Params& params);

numerics::RequantOptions requant_options(const Descriptor& job);

}  // namespace mxe::engine
