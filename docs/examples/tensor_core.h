// SPDX-License-Identifier: Apache-2.0
// A replacement of the model's arithmetic: see docs/model.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/numerics/gemm/accumulate.h"

/// Aligns products and accumulator to the largest exponent among them, drops all bits more than
/// `window` bits below it and adds, as tensor cores do. Truncates the sum to FP32. Finite operands.
class TensorCore : public mxe::engine::Arithmetic {
 public:
  TensorCore(const mxe::Params& params, int window)
      : window_(window),
        tiles_(params.acc_tiles),
        num_pe_(params.num_pe),
        sums_(std::size_t{params.rows} * tiles_ * num_pe_) {}

  void start(const mxe::engine::ArithmeticJob& job) override { job_ = job; }

  void run(const mxe::engine::ArrayPass& pass, const mxe::engine::TileResults& results) override {
    for (unsigned row = 0; row < pass.rows; row++) {
      for (unsigned column = 0; column < pass.cols; column++) {
        float& sum = sums_[(row * tiles_ + pass.tile) * num_pe_ + column];
        if (pass.first) sum = 0;
        if (pass.bias(row)) std::memcpy(&sum, pass.bias(row) + column, sizeof sum);
        sum = add_block(sum, pass.a[row], pass.b[column], pass.count);
        if (pass.last) {
          std::memcpy(results.even + row * results.pitch + column, &sum, sizeof sum);
        }
      }
    }
  }

 private:
  float add_block(float sum, const mxe::engine::OperandWord& a, const mxe::engine::OperandWord& b,
                  unsigned count) {
    const int scale = a.scales[0] + b.scales[0] - 254;
    double terms[33] = {sum};
    int largest = sum == 0 ? -126 : std::ilogb(sum);
    for (unsigned i = 0; i < count; i++) {
      const double x = value(job_.format_a, a.lanes[i]), y = value(job_.format_b, b.lanes[i]);
      terms[i + 1] = std::ldexp(x * y, scale);
      largest = std::max(largest, exponent(job_.format_a, x) + exponent(job_.format_b, y) + scale);
    }
    double total = 0;  // exact: all terms are multiples of the window's last bit
    for (unsigned i = 0; i <= count; i++) {
      total += std::trunc(std::ldexp(terms[i], window_ - largest));
    }
    return cut(std::ldexp(total, largest - window_));
  }
  static double value(mxe::numerics::FormatId format, uint8_t code) {
    const mxe::numerics::ElementFormat& f = mxe::numerics::element_format(format);
    return std::ldexp(mxe::numerics::integer_table(format)[code], f.lsb_exponent);
  }
  /// Exponent of a significand: -126 for zeros, that of the smallest normal number for subnormals.
  static int exponent(mxe::numerics::FormatId format, double x) {
    return x == 0 ? -126 : std::max(std::ilogb(x), mxe::numerics::element_format(format).emin());
  }
  static float cut(double x) {
    const auto nearest = static_cast<float>(x);
    return std::fabs(nearest) > std::fabs(x) ? std::nextafterf(nearest, 0) : nearest;
  }

  int window_;
  std::size_t tiles_, num_pe_;
  std::vector<float> sums_;
  mxe::engine::ArithmeticJob job_;
};
