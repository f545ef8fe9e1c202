// SPDX-License-Identifier: Apache-2.0
// The firmware `attention` against model/numerics and the driver's softmax (see float_test.cpp).
#include <fmt/format.h>

#include <cstring>

#include "model/job/job.h"
#include "model/numerics/quantize/quantize.h"
#include "mxe_float.h"
#include "tests/firmware/firmware_run.h"

namespace mxe::test {
namespace {

constexpr std::size_t kTokens = 48, kWidth = 32, kHeads = 4, kKvHeads = 2;
constexpr std::size_t kModel = kHeads * kWidth, kKv = kKvHeads * kWidth;

using Matrix = std::vector<float>;

class Numbers {
 public:
  Matrix next(std::size_t count, uint32_t exponent) {
    Matrix values(count);
    for (float& value : values) {
      state_ = state_ * 1664525 + 1013904223;
      const uint32_t bits =
          (state_ & 0x80000000u) | (exponent + (state_ >> 28 & 3)) << 23 | (state_ >> 5 & 0x7FFFFF);
      std::memcpy(&value, &bits, sizeof bits);
    }
    return values;
  }

 private:
  uint32_t state_ = 1;
};

/// A B^T + C in mxfp8_e4m3, with k numbers per row of A and B; C may be empty.
Matrix multiply(const Matrix& a, const Matrix& b, std::size_t k, const Matrix& c = {}) {
  job::Job job;
  job.a = numerics::quantize_rows(a.data(), a.size() / k, k, numerics::FormatId::mxfp8_e4m3);
  job.b = numerics::quantize_rows(b.data(), b.size() / k, k, numerics::FormatId::mxfp8_e4m3);
  job.bias = c;
  const std::vector<uint8_t> bytes = job.golden({}).bytes;
  Matrix d(bytes.size() / sizeof(float));
  std::memcpy(d.data(), bytes.data(), bytes.size());
  return d;
}

/// Columns from `begin` on, kWidth of them, of a matrix with `row` numbers per row.
Matrix columns(const Matrix& matrix, std::size_t row, std::size_t begin) {
  Matrix part;
  for (std::size_t i = begin; i < matrix.size(); i += row) {
    part.insert(part.end(), matrix.begin() + static_cast<std::ptrdiff_t>(i),
                matrix.begin() + static_cast<std::ptrdiff_t>(i + kWidth));
  }
  return part;
}

Matrix transpose(const Matrix& matrix, std::size_t row) {
  Matrix result;
  for (std::size_t column = 0; column < row; column++) {
    for (std::size_t i = column; i < matrix.size(); i += row) result.push_back(matrix[i]);
  }
  return result;
}

Matrix head(const Matrix& q, const Matrix& k, const Matrix& v, std::size_t index) {
  const std::size_t shared = index / (kHeads / kKvHeads) * kWidth;
  Matrix scores = multiply(columns(q, kModel, index * kWidth), columns(k, kKv, shared), kWidth);
  for (std::size_t token = 0; token < kTokens; token++) {
    constexpr uint32_t kScale = 0x3E3504F3;  // 1 / sqrt(32)
    mxe_softmax(&scores[token * kTokens], kTokens, kScale, &scores[token * kTokens]);
  }
  return multiply(scores, transpose(columns(v, kKv, shared), kWidth), kTokens);
}

Matrix expected() {
  Numbers numbers;
  const Matrix x = numbers.next(kTokens * kModel, 124);
  const Matrix wq = numbers.next(kModel * kModel, 121), wk = numbers.next(kKv * kModel, 121);
  const Matrix wv = numbers.next(kKv * kModel, 121), wo = numbers.next(kModel * kModel, 121);
  const Matrix q = multiply(x, wq, kModel), k = multiply(x, wk, kModel);
  const Matrix v = multiply(x, wv, kModel);
  Matrix heads(kTokens * kModel);
  for (std::size_t index = 0; index < kHeads; index++) {
    const Matrix result = head(q, k, v, index);
    for (std::size_t i = 0; i < result.size(); i++) {
      heads[i / kWidth * kModel + index * kWidth + i % kWidth] = result[i];
    }
  }
  return multiply(heads, wo, kModel, x);
}

TEST_F(CliTest, AttentionIsThatOfTheReference) {
  const Matrix y = expected();
  std::vector<uint8_t> bytes(y.size() * sizeof(float));
  std::memcpy(bytes.data(), y.data(), bytes.size());
  uint32_t sum = 2166136261;
  for (const uint8_t byte : bytes) sum = (sum ^ byte) * 16777619;
  for (const int bits : {32, 64}) {
    std::string summary;
    for (const std::string& engine : engines()) {
      const ProgramRun run = mxe({"run", firmware("attention", bits), "--summary", "--on", engine});
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.out, fmt::format("attention: {:08x}\n", sum));
      if (summary.empty()) summary = run.err;
      EXPECT_EQ(run.err, summary) << engine;
    }
  }
}

}  // namespace
}  // namespace mxe::test
