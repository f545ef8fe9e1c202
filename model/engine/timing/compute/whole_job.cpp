// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/compute/whole_job.h"

#include <algorithm>
#include <cstring>

#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "model/numerics/quantize/tensor.h"
#include "model/params/hardware.h"

namespace mxe::engine {
namespace {

struct Range {
  uint64_t address = 0;
  uint64_t rows = 0, row_bytes = 0, stride = 0;

  /// True if rows share bytes: copied row by row, they may be far larger than the memory.
  bool rows_overlap() const { return rows > 1 && stride < row_bytes; }
  uint64_t bytes() const { return (rows - 1) * stride + row_bytes; }
  bool overlaps(const Range& other) const {
    return address < other.address + other.bytes() && other.address < address + bytes();
  }
  const uint8_t* in(MemoryPort& memory) const { return memory.direct(address, bytes()); }
};

uint64_t d_row_bytes(const Descriptor& job) {
  if (const job::NumberFormat* numbers = job.numbers_out()) return uint64_t{job.n} * numbers->bytes;
  return numerics::packed_row_bytes(job.mx_out(), job.n);
}

struct Ranges {
  Range a, b, a_scales, b_scales, c, d, d_scales;

  explicit Ranges(const Descriptor& job) {
    const auto scales = [&](uint32_t block) {
      return (uint64_t{job.k} + block_elements(block) - 1) / block_elements(block);
    };
    a = {job.a_addr, job.a_rows(), numerics::packed_row_bytes(job.a(), job.k), job.a_stride};
    b = {job.b_addr, job.b_rows(), numerics::packed_row_bytes(job.b(), job.k), job.b_stride};
    a_scales = {job.a_scale_addr, job.a_rows(), scales(job.block_a), job.a_scale_stride};
    b_scales = {job.b_scale_addr, job.b_rows(), scales(job.block_b), job.b_scale_stride};
    const uint64_t c_bytes = job.bias_bf16 ? 2 : 4;
    c = {job.c_addr, job.c_stride == 0 ? 1 : job.a_rows(), job.n * c_bytes, job.c_stride};
    d = {job.d_addr, job.a_rows(), d_row_bytes(job), job.d_stride};
    d_scales = d;
    if (job.has_mx_out()) {
      d_scales = {job.d_scale_addr, job.a_rows(), (uint64_t{job.n} + kBlockSize - 1) / kBlockSize,
                  job.d_scale_stride};
    }
  }
};

void copy_rows(const Range& range, MemoryPort& memory, std::vector<uint8_t>& target) {
  target.resize(range.rows * range.row_bytes);
  const uint8_t* from = range.in(memory);
  for (uint64_t row = 0; row < range.rows; row++, from += range.stride) {
    std::memcpy(&target[row * range.row_bytes], from, range.row_bytes);
  }
}

void read_operand(numerics::FormatId format, const numerics::ScaleLayout& layout,
                  const Range& elements, const Range& scales, uint32_t k, MemoryPort& memory,
                  numerics::MxTensor& tensor) {
  tensor.format = format;
  tensor.layout = layout;
  tensor.rows = elements.rows;
  tensor.k = k;
  if (numerics::element_format(format).bits == 8) {
    copy_rows(elements, memory, tensor.codes);  // one byte per code
  } else {
    tensor.codes =
        numerics::unpack_rows(format, elements.in(memory), elements.rows, k, elements.stride);
  }
  copy_rows(scales, memory, tensor.scales);
}

constexpr double kMostNumbers = 1e9;

/// Elements of A, B and D in all products. A double, because a descriptor's sizes can exceed 64
/// bits.
double numbers(const Descriptor& job) {
  const double m = job.m, n = job.n, k = job.k;
  return job.batch * ((m + n) * k + m * n);
}

std::vector<float> bias(const Descriptor& job, const Range& c, MemoryPort& memory) {
  std::vector<float> values(job.a_rows() * job.n);
  const uint8_t* from = c.in(memory);
  for (uint64_t row = 0; row < job.a_rows(); row++, from += c.stride) {
    float* to = &values[row * job.n];
    if (job.bias_bf16) {
      numerics::widen_bfloat16(from, job.n, to);
    } else {
      std::memcpy(to, from, c.row_bytes);
    }
  }
  return values;
}

}  // namespace

bool WholeJob::can_compute(const Descriptor& job, MemoryPort& memory) {
  if (numbers(job) > kMostNumbers) return false;
  const Ranges ranges(job);
  std::vector<const Range*> read{&ranges.a, &ranges.b, &ranges.a_scales, &ranges.b_scales};
  if (job.bias) read.push_back(&ranges.c);
  for (const Range* range : {&ranges.a, &ranges.b, &ranges.a_scales, &ranges.b_scales, &ranges.d}) {
    if (range->rows_overlap()) return false;
  }
  if (!ranges.d.in(memory) || !ranges.d_scales.in(memory)) return false;
  for (const Range* range : read) {
    if (!range->in(memory) || range->overlaps(ranges.d) || range->overlaps(ranges.d_scales)) {
      return false;
    }
  }
  return true;
}

void WholeJob::compute(const Descriptor& job, MemoryPort& memory, bool fp4_dual) {
  const Ranges ranges(job);
  const auto layout = [&](uint32_t block) {
    return is_nvfp4(job) ? numerics::kNvfp4Scales
                         : numerics::ScaleLayout{numerics::ScaleKind::e8m0, block_elements(block)};
  };
  read_operand(job.a(), layout(job.block_a), ranges.a, ranges.a_scales, job.k, memory, a_);
  read_operand(job.b(), layout(job.block_b), ranges.b, ranges.b_scales, job.k, memory, b_);
  std::vector<float> c;
  if (job.bias) c = bias(job, ranges.c, memory);
  pitch_ = job.n;
  d_address_ = ranges.d.address;
  d_bytes_ = ranges.d.bytes();
  const std::size_t size = std::size_t{job.m} * job.n;  // of a product
  results_.resize(job.batch * size);
  for (std::size_t i = 0; i < job.batch; i++) {
    const float* start = job.starts_at_bias() ? &c[i * size] : nullptr;
    const std::vector<float> values =
        job.batch == 1
            ? numerics::gemm_block(a_, b_, start, fp4_dual)
            : numerics::gemm_block(numerics::slice_rows(a_, i * job.m, job.m),
                                   numerics::slice_rows(b_, i * job.n, job.n), start, fp4_dual);
    std::memcpy(&results_[i * size], values.data(), size * sizeof(float));
    if (!job.alpha) continue;
    for (std::size_t at = i * size; at < (i + 1) * size; at++) {
      results_[at] = to_bits(numerics::apply_alpha(
          from_bits(job.alpha_bits), from_bits(results_[at]), job.bias ? &c[at] : nullptr));
    }
  }
}

}  // namespace mxe::engine
