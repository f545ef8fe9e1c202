// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/common/descriptor.h"

#include <algorithm>

#include "model/numerics/formats/scaled_format.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/params/hardware.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::engine {
namespace {

uint64_t little_endian(const DescriptorBytes& bytes, std::size_t offset, std::size_t size) {
  uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | bytes[offset + i];
  return value;
}

uint32_t word(const DescriptorBytes& bytes, std::size_t offset) {
  return static_cast<uint32_t>(little_endian(bytes, offset, 4));
}

uint64_t address(const DescriptorBytes& bytes, std::size_t offset) {
  return little_endian(bytes, offset, 8);
}

uint32_t field(uint32_t value, uint32_t mask, unsigned shift) { return (value & mask) >> shift; }

bool has_reserved_bits(const DescriptorBytes& bytes) {
  return std::any_of(descriptor_table.begin(), descriptor_table.end(),
                     [&](const DescriptorWordInfo& info) {
                       const uint64_t value = little_endian(bytes, info.offset, info.bits / 8);
                       return (value & info.reserved_mask) != 0;
                     });
}

/// True if the engine multiplies the operands: both NVFP4, or both with E8M0 scales of blocks of at
/// least 32.
bool has_pair(const Descriptor& job, const Params& params) {
  if (job.alpha && (!has_nvfp4(params) || has_two_chains(job, params))) return false;
  if (is_nvfp4(job)) return has_nvfp4(params);
  const bool is_mx = job.scale_a == MXE_SCALE_E8M0 && job.scale_b == MXE_SCALE_E8M0 &&
                     job.block_a != MXE_BLOCK_OF_16 && job.block_b != MXE_BLOCK_OF_16;
  return is_mx && numerics::pair_tree_width(job.a(), job.b()) <= params.tree_w;
}

bool is_out_format(const Descriptor& job) { return job.numbers_out() || job.has_mx_out(); }

/// True if C or D has an address or stride that is not a multiple of its element size (MX: 1).
bool is_misaligned(const Descriptor& job) {
  const unsigned c_size = job.bias_bf16 ? 2 : 4;
  const job::NumberFormat* numbers = job.numbers_out();
  const unsigned d_size = numbers ? numbers->bytes : 1;
  return (job.c_addr | job.c_stride) % c_size != 0 || (job.d_addr | job.d_stride) % d_size != 0;
}

}  // namespace

const job::NumberFormat* Descriptor::numbers_out() const {
  return job::find_number_format(out_format);
}

bool Descriptor::has_mx_out() const {
  return out_format >= MXE_OUT_MXFP4_E2M1 && out_format < MXE_OUT_MXFP4_E2M1 + MXE_FORMAT_COUNT;
}

numerics::FormatId Descriptor::mx_out() const {
  return static_cast<numerics::FormatId>(out_format - MXE_OUT_MXFP4_E2M1);
}

static_assert(static_cast<unsigned>(numerics::ScaleRule::floor) == MXE_RULE_FLOOR &&
              static_cast<unsigned>(numerics::ScaleRule::rceil) == MXE_RULE_RCEIL);

Descriptor parse_descriptor(const DescriptorBytes& bytes) {
  Descriptor job;
  const uint32_t control = word(bytes, MXE_DESC_CONTROL);
  job.job_id = word(bytes, MXE_DESC_JOB_ID);
  job.format_a = field(control, MXE_DESC_CONTROL_FMT_A_MASK, MXE_DESC_CONTROL_FMT_A_SHIFT);
  job.format_b = field(control, MXE_DESC_CONTROL_FMT_B_MASK, MXE_DESC_CONTROL_FMT_B_SHIFT);
  job.out_format = field(control, MXE_DESC_CONTROL_OUT_FMT_MASK, MXE_DESC_CONTROL_OUT_FMT_SHIFT);
  job.scale_a = field(control, MXE_DESC_CONTROL_SCALE_A_MASK, MXE_DESC_CONTROL_SCALE_A_SHIFT);
  job.scale_b = field(control, MXE_DESC_CONTROL_SCALE_B_MASK, MXE_DESC_CONTROL_SCALE_B_SHIFT);
  job.block_a = field(control, MXE_DESC_CONTROL_BLOCK_A_MASK, MXE_DESC_CONTROL_BLOCK_A_SHIFT);
  job.block_b = field(control, MXE_DESC_CONTROL_BLOCK_B_MASK, MXE_DESC_CONTROL_BLOCK_B_SHIFT);
  job.bias = (control & MXE_DESC_CONTROL_BIAS_EN_MASK) != 0;
  job.bias_bf16 = (control & MXE_DESC_CONTROL_BIAS_BF16_MASK) != 0;
  job.alpha = (control & MXE_DESC_CONTROL_ALPHA_EN_MASK) != 0;
  job.alpha_bits = word(bytes, MXE_DESC_ALPHA);
  job.early = (control & MXE_DESC_CONTROL_EARLY_MASK) != 0;
  job.out_special = (control & MXE_DESC_CONTROL_OUT_OVERFLOW_MASK) != 0;
  job.out_rule = static_cast<numerics::ScaleRule>(
      field(control, MXE_DESC_CONTROL_OUT_RULE_MASK, MXE_DESC_CONTROL_OUT_RULE_SHIFT));
  job.m = word(bytes, MXE_DESC_M);
  job.n = word(bytes, MXE_DESC_N);
  job.k = word(bytes, MXE_DESC_K);
  job.batch = std::max(
      field(word(bytes, MXE_DESC_BATCH), MXE_DESC_BATCH_COUNT_MASK, MXE_DESC_BATCH_COUNT_SHIFT),
      1u);
  job.a_addr = address(bytes, MXE_DESC_A_ADDR);
  job.b_addr = address(bytes, MXE_DESC_B_ADDR);
  job.a_scale_addr = address(bytes, MXE_DESC_A_SCALE_ADDR);
  job.b_scale_addr = address(bytes, MXE_DESC_B_SCALE_ADDR);
  job.c_addr = address(bytes, MXE_DESC_C_ADDR);
  job.d_addr = address(bytes, MXE_DESC_D_ADDR);
  job.d_scale_addr = address(bytes, MXE_DESC_D_SCALE_ADDR);
  job.a_stride = word(bytes, MXE_DESC_A_STRIDE);
  job.b_stride = word(bytes, MXE_DESC_B_STRIDE);
  job.a_scale_stride = word(bytes, MXE_DESC_A_SCALE_STRIDE);
  job.b_scale_stride = word(bytes, MXE_DESC_B_SCALE_STRIDE);
  job.c_stride = word(bytes, MXE_DESC_C_STRIDE);
  job.d_stride = word(bytes, MXE_DESC_D_STRIDE);
  job.d_scale_stride = word(bytes, MXE_DESC_D_SCALE_STRIDE);
  return job;
}

uint32_t check_descriptor(const DescriptorBytes& bytes, const Params& params) {
  const Descriptor job = parse_descriptor(bytes);
  if (has_reserved_bits(bytes)) return MXE_STATUS_ERR_DESCRIPTOR;
  if (job.m == 0 || job.n == 0 || job.k == 0) return MXE_STATUS_ERR_SHAPE;
  if (job.format_a >= MXE_FORMAT_COUNT || job.format_b >= MXE_FORMAT_COUNT) {
    return MXE_STATUS_ERR_FORMAT;
  }
  if (!has_pair(job, params)) return MXE_STATUS_ERR_PAIR;
  if (!is_out_format(job)) return MXE_STATUS_ERR_OUT_FORMAT;
  if (is_misaligned(job)) return MXE_STATUS_ERR_ALIGN;
  return MXE_STATUS_OK;
}

bool is_dual(const Descriptor& job, const Params& params) {
  return params.fp4_dual != 0 && numerics::is_dual_pair(job.a(), job.b());
}

bool is_nvfp4(const Descriptor& job) {
  return job.format_a == MXE_FORMAT_MXFP4_E2M1 && job.format_b == MXE_FORMAT_MXFP4_E2M1 &&
         job.scale_a == MXE_SCALE_UE4M3 && job.scale_b == MXE_SCALE_UE4M3 &&
         job.block_a == MXE_BLOCK_OF_16 && job.block_b == MXE_BLOCK_OF_16;
}

unsigned block_elements(uint32_t code) {
  return code == MXE_BLOCK_OF_16 ? numerics::kNvfp4Scales.block : kBlockSize << coarse_blocks(code);
}

unsigned coarse_blocks(uint32_t code) {
  return code == MXE_BLOCK_OF_64 ? 1 : code == MXE_BLOCK_OF_128 ? 2 : 0;
}

unsigned scale_block(const Descriptor& job) {
  return is_nvfp4(job) ? numerics::kNvfp4Scales.block : kBlockSize;
}

unsigned word_scales(const Descriptor& job, const Params& params) {
  return kBlockSize / scale_block(job) * (is_dual(job, params) ? 2 : 1);
}

bool has_two_chains(const Descriptor& job, const Params& params) {
  return is_dual(job, params) && !is_nvfp4(job);
}

numerics::RequantOptions requant_options(const Descriptor& job) {
  return {job.mx_out(), job.out_rule,
          job.out_special ? numerics::Overflow::special : numerics::Overflow::saturate};
}

}  // namespace mxe::engine
