// SPDX-License-Identifier: Apache-2.0
// Lists of jobs from mxe_math.c, executed on a memory by the golden GEMM, against the numerics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/quantize.h"
#include "mxe_float.h"
#include "mxe_math.h"

namespace mxe::test {
namespace {

using numerics::FormatId;
using numerics::MxTensor;

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> x;

  float& at(std::size_t row, std::size_t column) { return x[row * columns + column]; }
  float at(std::size_t row, std::size_t column) const { return x[row * columns + column]; }
  Matrix part(std::size_t first, std::size_t count) const {
    Matrix result{rows, count, {}};
    for (std::size_t i = 0; i < rows * count; i++) {
      result.x.push_back(at(i / count, first + i % count));
    }
    return result;
  }
  Matrix transposed() const {
    Matrix result{columns, rows, {}};
    for (std::size_t i = 0; i < rows * columns; i++) result.x.push_back(at(i % rows, i / rows));
    return result;
  }
};

Matrix normals(std::mt19937& random, std::size_t rows, std::size_t columns) {
  std::normal_distribution<float> normal;
  Matrix result{rows, columns, std::vector<float>(rows * columns)};
  for (float& value : result.x) value = normal(random);
  return result;
}

MxTensor quantized(const Matrix& matrix, FormatId format) {
  return numerics::quantize_rows(matrix.x.data(), matrix.rows, matrix.columns, format);
}

std::vector<float> product(const MxTensor& a, const MxTensor& b, const float* c = nullptr) {
  return numerics::gemm_block(a, b, c, true);
}

class Machine {
 public:
  static constexpr uint64_t kBase = 0x7'0000'0000;

  uint64_t allocate(std::size_t bytes) {
    const std::size_t at = (memory_.size() + 3) / 4 * 4 + 64;
    memory_.resize(at + bytes, 0xA5);
    return kBase + at;
  }
  uint8_t* data(uint64_t address) { return &memory_.at(address - kBase); }
  float* floats(uint64_t address) { return reinterpret_cast<float*>(data(address)); }

  void run(const mxe_job& job) {
    const MxTensor a = operand(job.format_a, job.m, job.k, job.a_addr, job.a_stride,
                               job.a_scale_addr, job.a_scale_stride);
    const MxTensor b = operand(job.format_b, job.n, job.k, job.b_addr, job.b_stride,
                               job.b_scale_addr, job.b_scale_stride);
    const std::vector<float> c = start(job);
    const std::vector<float> d = product(a, b, job.bias ? c.data() : nullptr);
    if (job.out_format == MXE_OUT_FP32) {
      store(job, reinterpret_cast<const uint8_t*>(d.data()), std::size_t{4} * job.n);
      return;
    }
    const auto format = static_cast<FormatId>(job.out_format - MXE_OUT_MXFP4_E2M1);
    const MxTensor q = numerics::to_mx(
        d, job.m, job.n, format, static_cast<numerics::ScaleRule>(job.out_rule),
        job.out_overflow ? numerics::Overflow::special : numerics::Overflow::saturate);
    store(job, numerics::pack_rows(q).data(), numerics::packed_row_bytes(format, job.n));
    for (std::size_t row = 0; row < job.m; row++) {
      std::copy_n(&q.scales[row * q.scale_columns()], q.scale_columns(),
                  data(job.d_scale_addr + row * job.d_scale_stride));
    }
  }

 private:
  MxTensor operand(uint32_t format, std::size_t rows, std::size_t k, uint64_t address,
                   uint32_t stride, uint64_t scales, uint32_t scale_stride) {
    MxTensor t;
    t.format = static_cast<FormatId>(format);
    t.rows = rows;
    t.k = k;
    t.codes = numerics::unpack_rows(t.format, data(address), rows, k, stride);
    for (std::size_t row = 0; row < rows; row++) {
      const uint8_t* from = data(scales + row * scale_stride);
      t.scales.insert(t.scales.end(), from, from + t.scale_columns());
    }
    return t;
  }
  std::vector<float> start(const mxe_job& job) {
    std::vector<float> c;
    for (std::size_t i = 0; job.bias && i < std::size_t{job.m} * job.n; i++) {
      const uint64_t row = job.c_addr + i / job.n * job.c_stride;
      const std::size_t column = i % job.n;
      uint16_t half = 0;
      std::memcpy(&half, data(row + 2 * column), 2);
      c.push_back(job.bias_bf16 ? from_bits(numerics::widened_bits(half)) : floats(row)[column]);
    }
    return c;
  }
  void store(const mxe_job& job, const uint8_t* rows, std::size_t row_bytes) {
    for (std::size_t row = 0; row < job.m; row++) {
      std::copy_n(rows + row * row_bytes, row_bytes, data(job.d_addr + row * job.d_stride));
    }
  }

  std::vector<uint8_t> memory_;
};

mxe_operand allocate_operand(Machine& machine, FormatId format, std::size_t rows, std::size_t k) {
  mxe_operand o = {};
  o.format = static_cast<uint32_t>(format);
  o.stride = mxe_row_bytes(o.format, static_cast<uint32_t>(k)) + 3;
  o.scale_stride = mxe_row_scales(static_cast<uint32_t>(k)) + 1;
  o.addr = machine.allocate(rows * o.stride);
  o.scale_addr = machine.allocate(rows * o.scale_stride);
  return o;
}

/// Quantizes to the memory of an operand, which has a matrix for each job; `matrix`: its number.
void quantize_to(Machine& machine, const mxe_numbers& x, std::size_t rows, std::size_t k,
                 const mxe_operand& o, std::size_t matrix = 0) {
  const mxe_elements out = {o.format, machine.data(o.addr + matrix * o.step),
                            machine.data(o.scale_addr + matrix * o.scale_step), o.stride,
                            o.scale_stride};
  ASSERT_EQ(mxe_quantize(&x, static_cast<uint32_t>(rows), static_cast<uint32_t>(k), 0, &out),
            MXE_OK);
}

mxe_numbers numbers(const Matrix& matrix) { return {matrix.x.data(), false, matrix.columns, 1}; }
mxe_numbers columns_of(const Matrix& matrix, std::size_t first) {
  return {matrix.x.data() + first, false, 1, matrix.columns};
}

struct Heads {
  std::size_t heads, shared, queries, keys, width;
};

/// Attention by its definition, each head separately.
Matrix attention_of(const Heads& h, const Matrix& q, const Matrix& k, const Matrix& v,
                    FormatId format, float scale) {
  Matrix result{h.queries, h.heads * h.width, std::vector<float>(h.queries * h.heads * h.width)};
  for (std::size_t head = 0; head < h.heads; head++) {
    const std::size_t other = head / h.shared * h.width;
    Matrix weights{h.queries, h.keys,
                   product(quantized(q.part(head * h.width, h.width), format),
                           quantized(k.part(other, h.width), format))};
    for (std::size_t row = 0; row < h.queries; row++) {
      mxe_softmax(&weights.at(row, 0), h.keys, to_bits(scale), &weights.at(row, 0));
    }
    const std::vector<float> part =
        product(quantized(weights, format), quantized(v.part(other, h.width).transposed(), format));
    for (std::size_t i = 0; i < part.size(); i++) {
      result.at(i / h.width, head * h.width + i % h.width) = part[i];
    }
  }
  return result;
}

Matrix attention_by_jobs(const Heads& h, const Matrix& q, const Matrix& k, const Matrix& v,
                         FormatId format, float scale) {
  Machine machine;
  const auto code = static_cast<uint32_t>(format);
  const auto width = static_cast<uint32_t>(h.width), keys = static_cast<uint32_t>(h.keys);
  const auto queries = static_cast<uint32_t>(h.queries), heads = static_cast<uint32_t>(h.heads);
  const std::size_t others = h.heads / h.shared;

  // Q and K: the heads side by side in each row, as linear layers write them.
  mxe_operand q_heads = allocate_operand(machine, format, h.queries, q.columns);
  mxe_operand k_heads = allocate_operand(machine, format, h.keys, k.columns);
  q_heads.step = k_heads.step = mxe_row_bytes(code, width);
  q_heads.scale_step = k_heads.scale_step = mxe_row_scales(width);
  k_heads.share = static_cast<uint32_t>(h.shared);
  quantize_to(machine, numbers(q), h.queries, q.columns, q_heads);
  quantize_to(machine, numbers(k), h.keys, k.columns, k_heads);
  // V and the weights: the heads stacked.
  mxe_operand v_heads = allocate_operand(machine, format, others * h.width, h.keys);
  v_heads.step = h.width * v_heads.stride;
  v_heads.scale_step = h.width * v_heads.scale_stride;
  v_heads.share = static_cast<uint32_t>(h.shared);
  quantize_to(machine, columns_of(v, 0), v.columns, h.keys, v_heads);
  mxe_operand weights = allocate_operand(machine, format, h.heads * h.queries, h.keys);
  weights.step = h.queries * weights.stride;
  weights.scale_step = h.queries * weights.scale_stride;

  mxe_operand scores = {};
  scores.format = MXE_OUT_FP32;
  scores.stride = 4 * keys;
  scores.step = h.queries * scores.stride;
  scores.addr = machine.allocate(h.heads * scores.step);
  mxe_operand results = {};
  results.format = MXE_OUT_FP32;
  results.stride = 4 * heads * width;
  results.step = std::size_t{4} * width;
  results.addr = machine.allocate(h.queries * results.stride);

  std::vector<mxe_job> jobs(h.heads);
  mxe_product p = {};
  p.m = queries;
  p.n = keys;
  p.k = width;
  p.a = &q_heads;
  p.b = &k_heads;
  p.d = &scores;
  EXPECT_EQ(mxe_batch(&p, heads, jobs.data()), MXE_OK);
  for (const mxe_job& job : jobs) machine.run(job);

  float* rows = machine.floats(scores.addr);
  for (std::size_t row = 0; row < h.heads * h.queries; row++) {
    mxe_softmax(rows + row * h.keys, h.keys, to_bits(scale), rows + row * h.keys);
  }
  const mxe_numbers softmax = {rows, false, h.keys, 1};
  quantize_to(machine, softmax, h.heads * h.queries, h.keys, weights);

  p.n = width;
  p.k = keys;
  p.a = &weights;
  p.b = &v_heads;
  p.d = &results;
  EXPECT_EQ(mxe_batch(&p, heads, jobs.data()), MXE_OK);
  for (const mxe_job& job : jobs) machine.run(job);
  const float* from = machine.floats(results.addr);
  return {h.queries, h.heads * h.width, {from, from + h.queries * h.heads * h.width}};
}

TEST(Jobs, AttentionIsThatOfEachHeadAlone) {
  std::mt19937 random(11);
  for (const Heads& h : {Heads{4, 2, 5, 40, 32}, {3, 1, 33, 17, 64}, {6, 6, 1, 70, 32}}) {
    const Matrix q = normals(random, h.queries, h.heads * h.width);
    const Matrix k = normals(random, h.keys, h.heads / h.shared * h.width);
    const Matrix v = normals(random, h.keys, h.heads / h.shared * h.width);
    const float scale = 1 / std::sqrt(static_cast<float>(h.width));
    for (const FormatId format : {FormatId::mxfp8_e4m3, FormatId::mxfp6_e2m3, FormatId::mxint8}) {
      EXPECT_EQ(attention_by_jobs(h, q, k, v, format, scale).x,
                attention_of(h, q, k, v, format, scale).x);
    }
  }
}

// y = x W^T + bias, z = y V^T + x: the MX result y is an operand of the next job.
TEST(Jobs, LinearLayersWithBiasAndResidual) {
  constexpr std::size_t kTokens = 7, kIn = 50, kHidden = 45;
  std::mt19937 random(12);
  const Matrix x = normals(random, kTokens, kIn), w = normals(random, kHidden, kIn);
  const Matrix v = normals(random, kIn, kHidden), bias = normals(random, 1, kHidden);
  const FormatId format = FormatId::mxfp8_e5m2;
  for (const bool bf16 : {false, true}) {
    Machine machine;
    const mxe_operand x_rows = allocate_operand(machine, format, kTokens, kIn);
    const mxe_operand w_rows = allocate_operand(machine, format, kHidden, kIn);
    const mxe_operand v_rows = allocate_operand(machine, format, kIn, kHidden);
    mxe_operand hidden = allocate_operand(machine, format, kTokens, kHidden);
    const mxe_operand as_operand = hidden;
    hidden.format = MXE_OUT_MXFP8_E5M2;
    quantize_to(machine, numbers(x), kTokens, kIn, x_rows);
    quantize_to(machine, numbers(w), kHidden, kIn, w_rows);
    quantize_to(machine, numbers(v), kIn, kHidden, v_rows);
    mxe_operand c = {};
    c.format = bf16 ? MXE_OUT_BF16 : MXE_OUT_FP32;
    c.addr = machine.allocate(4 * kHidden);
    const std::vector<uint16_t> halves = numerics::to_bfloat16(bias.x);
    std::vector<float> every_row;
    for (std::size_t i = 0; i < kTokens * kHidden; i++) {
      const float value = bias.x[i % kHidden];
      every_row.push_back(bf16 ? numerics::round_to_bfloat16(value) : value);
    }
    std::copy_n(bf16 ? reinterpret_cast<const uint8_t*>(halves.data())
                     : reinterpret_cast<const uint8_t*>(bias.x.data()),
                (bf16 ? 2 : 4) * kHidden, machine.data(c.addr));
    mxe_operand sum = {};
    sum.format = MXE_OUT_FP32;
    sum.stride = 4 * kIn;
    sum.addr = machine.allocate(4 * kTokens * kIn);
    std::copy(x.x.begin(), x.x.end(), machine.floats(sum.addr));

    mxe_job jobs[2];
    mxe_product p = {};
    p.m = kTokens;
    p.n = kHidden;
    p.k = kIn;
    p.a = &x_rows;
    p.b = &w_rows;
    p.c = &c;
    p.d = &hidden;
    p.out_rule = MXE_RULE_RCEIL;
    p.out_overflow = true;
    ASSERT_EQ(mxe_batch(&p, 1, &jobs[0]), MXE_OK);
    p.n = kIn;
    p.k = kHidden;
    p.a = &as_operand;
    p.b = &v_rows;
    p.c = p.d = &sum;
    ASSERT_EQ(mxe_batch(&p, 1, &jobs[1]), MXE_OK);
    for (const mxe_job& job : jobs) machine.run(job);

    const std::vector<float> y =
        product(quantized(x, format), quantized(w, format), every_row.data());
    const MxTensor next = numerics::to_mx(y, kTokens, kHidden, format, numerics::ScaleRule::rceil);
    const std::vector<float> z = product(next, quantized(v, format), x.x.data());
    EXPECT_EQ(std::vector<float>(machine.floats(sum.addr), machine.floats(sum.addr) + z.size()), z);
  }
}

TEST(Jobs, EveryOperandAdvancesByItsOwnStep) {
  const mxe_operand a = {MXE_FORMAT_MXINT8, 1000, 2000, 1, 2, 10, 1, 0};
  const mxe_operand b = {MXE_FORMAT_MXINT8, UINT64_C(0xFFFFFFF0), 4000, 3, 4, 32, 2, 3};
  const mxe_operand c = {MXE_OUT_BF16, 5000, 0, 5, 0, 6, 0, 1};
  const mxe_operand d = {MXE_OUT_MXINT8, 6000, 7000, 6, 7, 40, 4, 2};
  const mxe_product p = {1, 2, 3, &a, &b, &c, &d, MXE_RULE_EVEN, true};
  mxe_job jobs[7];
  std::memset(static_cast<void*>(jobs), 0xA5, sizeof jobs);
  ASSERT_EQ(mxe_batch(&p, 7, jobs), MXE_OK);
  for (uint64_t i = 0; i < 7; i++) {
    EXPECT_EQ(jobs[i].a_addr, 1000 + 10 * i);
    EXPECT_EQ(jobs[i].a_scale_addr, 2000 + i);
    EXPECT_EQ(jobs[i].b_addr, UINT64_C(0xFFFFFFF0) + 32 * (i / 3));
    EXPECT_EQ(jobs[i].b_scale_addr, 4000 + 2 * (i / 3));
    EXPECT_EQ(jobs[i].c_addr, 5000 + 6 * i);
    EXPECT_EQ(jobs[i].d_addr, 6000 + 40 * (i / 2));
    EXPECT_EQ(jobs[i].d_scale_addr, 7000 + 4 * (i / 2));
    EXPECT_EQ(jobs[i].out_rule, MXE_RULE_EVEN);
    EXPECT_TRUE(jobs[i].out_overflow && jobs[i].bias && jobs[i].bias_bf16);
    EXPECT_FALSE(jobs[i].alpha);
    EXPECT_EQ(jobs[i].scale_a | jobs[i].scale_b | jobs[i].block_a | jobs[i].block_b, 0u)
        << "E8M0 in blocks of 32";
    EXPECT_EQ(jobs[i].m * 100 + jobs[i].n * 10 + jobs[i].k, 123u);
    EXPECT_EQ(jobs[i].a_stride * 10 + jobs[i].a_scale_stride, 12u);
    EXPECT_EQ(jobs[i].b_stride * 10 + jobs[i].b_scale_stride, 34u);
    EXPECT_EQ(jobs[i].c_stride, 5u);
    EXPECT_EQ(jobs[i].d_stride * 10 + jobs[i].d_scale_stride, 67u);
  }
}

TEST(Jobs, ErrorsAreAnswered) {
  mxe_operand a = {}, c = {}, d = {};
  mxe_product p = {1, 1, 1, &a, &a, nullptr, &d, 0, false};
  mxe_job job;
  EXPECT_EQ(mxe_batch(&p, 1, &job), MXE_OK);
  EXPECT_FALSE(job.bias);
  EXPECT_EQ(mxe_batch(nullptr, 1, &job), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_batch(&p, 1, nullptr), MXE_ERR_ARGUMENT);
  for (const mxe_operand* mxe_product::*operand :
       {&mxe_product::a, &mxe_product::b, &mxe_product::d}) {
    mxe_product wrong = p;
    wrong.*operand = nullptr;
    EXPECT_EQ(mxe_batch(&wrong, 1, &job), MXE_ERR_ARGUMENT);
  }
  for (uint32_t mxe_product::*size : {&mxe_product::m, &mxe_product::n, &mxe_product::k}) {
    mxe_product wrong = p;
    wrong.*size = 0;
    EXPECT_EQ(mxe_batch(&wrong, 1, &job), MXE_ERR_SHAPE);
  }
  p.c = &c;
  EXPECT_EQ(mxe_batch(&p, 1, &job), MXE_OK);
  c.format = MXE_OUT_FP16;
  EXPECT_EQ(mxe_batch(&p, 1, &job), MXE_ERR_ARGUMENT);
  p.c = nullptr;
  p.out_rule = 4;
  EXPECT_EQ(mxe_batch(&p, 1, &job), MXE_ERR_ARGUMENT);
  p.out_rule = 0;
  d.format = MXE_OUT_MXFP4_E2M1 + MXE_FORMAT_COUNT;
  EXPECT_EQ(mxe_batch(&p, 1, &job), MXE_ERR_ARGUMENT);
  d.format = 0;
  a.format = MXE_FORMAT_COUNT;
  EXPECT_EQ(mxe_batch(&p, 1, &job), MXE_ERR_FORMAT);
}

}  // namespace
}  // namespace mxe::test
