// SPDX-License-Identifier: Apache-2.0
#include "model/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "model/numerics/base/error.h"
#include "model/numerics/formats/scale_checks.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/params/hardware.h"
#include "mxe_regs.h"

namespace mxe::job {
namespace {

constexpr std::size_t kMostProducts = MXE_DESC_BATCH_COUNT_MASK >> MXE_DESC_BATCH_COUNT_SHIFT;

uint32_t stride_of(std::size_t row_bytes, unsigned gap, bool one_row) {
  if (one_row) return 0;
  if (row_bytes + gap > std::numeric_limits<uint32_t>::max()) {
    throw Error(fmt::format("rows of {} bytes are too large for a job (allowed: up to {})",
                            row_bytes + gap, std::numeric_limits<uint32_t>::max()));
  }
  return static_cast<uint32_t>(row_bytes + gap);
}

uint32_t block_code(unsigned elements) {
  switch (elements) {
    case 16:
      return MXE_BLOCK_OF_16;
    case 64:
      return MXE_BLOCK_OF_64;
    case 128:
      return MXE_BLOCK_OF_128;
    default:
      return MXE_BLOCK_OF_32;
  }
}

}  // namespace

unsigned JobShape::peak_macs_per_cycle(const Params& params) const {
  const bool dual = params.fp4_dual != 0 && numerics::is_dual_pair(format_a, format_b);
  return params.num_pe * kBlockSize * (dual ? 2 : 1);
}

void JobShape::require_engine_scales() const {
  numerics::require_engine_scales(operand_a(), operand_b(), has_row_scales);
}

bool JobShape::is_nvfp4() const {
  return numerics::is_nvfp4_format(operand_a()) && numerics::is_nvfp4_format(operand_b());
}

bool JobShape::has_two_chains(const Params& params) const {
  return params.fp4_dual != 0 && numerics::is_dual_pair(format_a, format_b) && !is_nvfp4();
}

void JobShape::require_pair(const Params& params) const {
  require_engine_scales();
  if (is_nvfp4() && !has_nvfp4(params)) {
    throw LimitError(
        fmt::format("NVFP4 needs NVFP4 = 1 and TREE_W of at least {}, the configuration has "
                    "NVFP4 = {} and TREE_W = {}",
                    kScaledSumBits, params.nvfp4, params.tree_w),
        "NVFP4 of formats", {double(params.nvfp4), double(params.tree_w)});
  }
  if (alpha && (!has_nvfp4(params) || has_two_chains(params))) {
    throw Error(
        fmt::format("a factor of the results needs NVFP4 = 1, TREE_W of at least {} and "
                    "other operands than {} by {} (FP4_DUAL = {})",
                    kScaledSumBits, operand_a().name(), operand_b().name(), params.fp4_dual));
  }
  if (is_nvfp4()) return;
  const unsigned needed = numerics::pair_tree_width(format_a, format_b);
  if (needed <= params.tree_w) return;
  throw LimitError(fmt::format("{} times {} needs TREE_W of at least {}, the configuration has {}",
                               numerics::element_format(format_a).name,
                               numerics::element_format(format_b).name, needed, params.tree_w),
                   "TREE_W of formats",
                   {double(format_a), double(format_b), double(params.tree_w)});
}

JobShape Job::shape() const {
  const BiasKind kind = bias.empty()   ? BiasKind::none
                        : bias_one_row ? BiasKind::row
                                       : BiasKind::full;
  JobShape shape{m(),  n(),       k(),   a.format, b.format, output,
                 kind, bias_bf16, batch, a.layout, b.layout};
  shape.alpha = alpha;
  shape.has_row_scales = !alpha && (a.tensor_scales.size() > 1 || b.tensor_scales.size() > 1);
  if (!alpha && !shape.has_row_scales && a.tensor_scales.size() + b.tensor_scales.size() > 0) {
    shape.alpha = (a.tensor_scales.empty() ? 1 : a.tensor_scales[0]) *
                  (b.tensor_scales.empty() ? 1 : b.tensor_scales[0]);
  }
  return shape;
}

std::vector<float> Job::sums(const numerics::GemmOptions& given) const {
  numerics::GemmOptions options = given;
  if (!options.alpha) options.alpha = alpha;
  std::vector<float> full;
  const float* start = bias.empty() ? nullptr : bias.data();
  if (start && bias_one_row) {
    full.reserve(a.rows * n());
    for (std::size_t row = 0; row < a.rows; row++)
      full.insert(full.end(), bias.begin(), bias.end());
    start = full.data();
  }
  if (batch == 1) return numerics::gemm(a, b, start, options);
  std::vector<float> all;
  all.reserve(a.rows * n());
  for (std::size_t i = 0; i < batch; i++) {
    const std::vector<float> one =
        numerics::gemm(numerics::slice_rows(a, i * m(), m()), numerics::slice_rows(b, i * n(), n()),
                       start ? start + i * m() * n() : nullptr, options);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

StoredOutput Job::golden(const numerics::GemmOptions& options) const {
  return store_output(sums(options), a.rows, n(), output);
}

JobParts::JobParts(const JobShape& shape, const JobLayout& l) {
  shape.require_engine_scales();
  const std::size_t m = shape.a_rows(), n = shape.n, k = shape.k;
  const std::size_t a_row = numerics::packed_row_bytes(shape.format_a, k);
  const std::size_t b_row = numerics::packed_row_bytes(shape.format_b, k);
  const std::size_t scales_of_a = shape.scales_a.columns(k);
  const std::size_t scales_of_b = shape.scales_b.columns(k);
  const std::size_t d_row = shape.output.row_bytes(n), d_scale_row = shape.output.scale_bytes(n);
  if (std::max({shape.m, n, k}) > std::numeric_limits<uint32_t>::max()) {
    throw Error(fmt::format("{} x {} x {} is too large for a job", shape.m, n, k));
  }
  if (shape.batch == 0 || shape.batch > kMostProducts) {
    throw Error(fmt::format("a job has 1 to {} products, not {}", kMostProducts, shape.batch));
  }
  a = {"A", m, a_row, stride_of(a_row, l.a_gap, l.a_one_row), l.a_offset};
  a_scales = {"scales of A", m, scales_of_a, stride_of(scales_of_a, l.a_scale_gap, l.a_one_row),
              l.a_scale_offset};
  b = {"B", shape.b_rows(), b_row, stride_of(b_row, l.b_gap, l.b_one_row), l.b_offset};
  b_scales = {"scales of B", shape.b_rows(), scales_of_b,
              stride_of(scales_of_b, l.b_scale_gap, l.b_one_row), l.b_scale_offset};
  if (shape.bias != BiasKind::none) {
    const std::size_t c_row = n * (shape.bias_bf16 ? sizeof(uint16_t) : sizeof(float));
    c = {"C", m, c_row, stride_of(c_row, l.c_gap, shape.bias == BiasKind::row), l.c_offset};
  }
  d = {"D", m, d_row, stride_of(d_row, l.d_gap, false), l.d_offset};
  if (d_scale_row > 0) {
    d_scales = {"scales of D", m, d_scale_row, stride_of(d_scale_row, l.d_scale_gap, false),
                l.d_scale_offset};
  }
}

void JobParts::place(uint64_t address) {
  for (JobPart* part : in_order()) {
    part->address = (address + kAlignment - 1) / kAlignment * kAlignment;
    address = part->end();
  }
}

mxe_job JobParts::descriptor(const JobShape& shape) const {
  mxe_job job{};
  job.format_a = static_cast<uint32_t>(shape.format_a);
  job.format_b = static_cast<uint32_t>(shape.format_b);
  if (shape.is_nvfp4()) job.scale_a = job.scale_b = MXE_SCALE_UE4M3;
  job.block_a = block_code(shape.scales_a.block);
  job.block_b = block_code(shape.scales_b.block);
  job.alpha = shape.alpha.has_value();
  job.alpha_bits = shape.alpha ? to_bits(*shape.alpha) : 0;
  job.out_format = shape.output.code();
  job.out_rule = static_cast<uint32_t>(shape.output.requant.rule);
  job.out_overflow = shape.output.requant.overflow == numerics::Overflow::special;
  job.bias = shape.bias != BiasKind::none;
  job.bias_bf16 = shape.bias_bf16;
  job.m = static_cast<uint32_t>(shape.m);
  job.n = static_cast<uint32_t>(shape.n);
  job.k = static_cast<uint32_t>(shape.k);
  job.batch = static_cast<uint32_t>(shape.batch);
  job.a_addr = a.address;
  job.a_stride = a.stride;
  job.a_scale_addr = a_scales.address;
  job.a_scale_stride = a_scales.stride;
  job.b_addr = b.address;
  job.b_stride = b.stride;
  job.b_scale_addr = b_scales.address;
  job.b_scale_stride = b_scales.stride;
  job.c_addr = c.address;
  job.c_stride = c.stride;
  job.d_addr = d.address;
  job.d_stride = d.stride;
  job.d_scale_addr = d_scales.address;
  job.d_scale_stride = d_scales.stride;
  return job;
}

}  // namespace mxe::job
