// SPDX-License-Identifier: Apache-2.0
// Oracle of the golden GEMM for operands of every scale kind. It shares no arithmetic with the
// library: codes are looked up in lists of values, every product is an exact float64 number, and
// sums are exact expansions of float64 numbers (Shewchuk 1997, as in Python's math.fsum).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "model/numerics/quantize/tensor.h"

namespace mxe::test {

using numerics::FormatId;
using numerics::MxTensor;
using numerics::ScaleKind;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline double binary_float(unsigned magnitude, int mantissa_bits, int bias) {
  const int field = static_cast<int>(magnitude >> mantissa_bits);
  const double fraction = std::ldexp(magnitude & ((1u << mantissa_bits) - 1), -mantissa_bits);
  return field == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, field - bias);
}

inline double element_value(FormatId format, unsigned code) {
  static constexpr double kE2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const auto is_signed = [code](unsigned bit, double magnitude) {
    return (code & bit) != 0 ? -magnitude : magnitude;
  };
  switch (format) {
    case FormatId::mxfp4_e2m1:
      return is_signed(8, kE2m1[code & 7]);
    case FormatId::mxfp4_e1m2:
      return is_signed(8, 0.25 * (code & 7));
    case FormatId::mxfp6_e2m3:
      return is_signed(32, binary_float(code & 31, 3, 1));
    case FormatId::mxfp6_e3m2:
      return is_signed(32, binary_float(code & 31, 2, 3));
    case FormatId::mxfp8_e4m3:
      return (code & 127) == 127 ? kNan : is_signed(128, binary_float(code & 127, 3, 7));
    case FormatId::mxfp8_e5m2:
      if ((code & 127) > 124) return kNan;
      if ((code & 127) == 124) return is_signed(128, std::numeric_limits<double>::infinity());
      return is_signed(128, binary_float(code & 127, 2, 15));
    case FormatId::mxint8:
      return static_cast<int8_t>(code) / 64.0;
  }
  return kNan;
}

inline double scale_value(ScaleKind kind, unsigned code) {
  switch (kind) {
    case ScaleKind::e8m0:
      return code == 255 ? kNan : std::ldexp(1, static_cast<int>(code) - 127);
    case ScaleKind::ue4m3:
      return code >= 0x7F ? kNan : binary_float(code, 3, 7);
    case ScaleKind::ue5m3:
      return code == 0xFF ? kNan : binary_float(code, 3, 15);
    case ScaleKind::none:
      break;
  }
  return 1;
}

/// Element times block scale, an exact float64 number.
inline double value_at(const MxTensor& t, std::size_t row, std::size_t k) {
  const double element = element_value(t.format, t.codes[row * t.k + k]);
  if (t.layout.kind == ScaleKind::none) return element;
  const std::size_t columns = (t.k + t.layout.block - 1) / t.layout.block;
  return element * scale_value(t.layout.kind, t.scales[row * columns + k / t.layout.block]);
}

/// An exact sum of float64 numbers, as non-overlapping partial sums from small to large.
class Expansion {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (double y : partials_) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) partials_[kept++] = low;
      x = high;
    }
    partials_.resize(kept);
    if (x != 0) partials_.push_back(x);
  }

  /// The sum rounded once to float32; an exact zero is +0. Rounding to odd in float64 before makes
  /// the second rounding the only one.
  float to_float() const {
    double high = 0;
    double low = 0;
    // Partial sums do not overlap, but several may fit one float64 number.
    for (std::size_t i = partials_.size(); i > 0 && low == 0; i--) {
      const double sum = high + partials_[i - 1];
      low = partials_[i - 1] - (sum - high);
      high = sum;
    }
    uint64_t bits;
    std::memcpy(&bits, &high, sizeof bits);
    if (low != 0 && (bits & 1) == 0) high = std::nextafter(high, low > 0 ? INFINITY : -INFINITY);
    return static_cast<float>(high);
  }

 private:
  std::vector<double> partials_;
};

/// The sum of the terms, rounded once to float32. NaN and infinities propagate.
inline float rounded_sum(const std::vector<double>& terms) {
  double special = 0;
  Expansion sum;
  for (const double term : terms) {
    if (std::isfinite(term)) {
      sum.add(term);
    } else {
      special += term;
    }
  }
  return special == 0 ? sum.to_float() : static_cast<float>(special);
}

/// Elements of K per rounding, from the text of docs/numerics.md.
inline std::size_t step_of(const MxTensor& a, const MxTensor& b, bool dual) {
  const auto is_nv = [](const MxTensor& t) {
    return t.layout.kind == ScaleKind::ue4m3 || t.layout.kind == ScaleKind::ue5m3;
  };
  const auto is_short = [](const MxTensor& t) {
    return t.layout.kind == ScaleKind::e8m0 && t.layout.block == 16;
  };
  if (is_nv(a) && is_nv(b)) return dual ? 64 : 32;
  return is_short(a) || is_short(b) ? 16 : 32;
}

inline bool has_two_chains(const MxTensor& a, const MxTensor& b, bool dual) {
  const auto is_mx4 = [](const MxTensor& t) {
    const bool is_power = t.layout.kind == ScaleKind::e8m0 || t.layout.kind == ScaleKind::none;
    return is_power && (t.format == FormatId::mxfp4_e2m1 || t.format == FormatId::mxfp4_e1m2);
  };
  return dual && is_mx4(a) && is_mx4(b) && step_of(a, b, dual) == 32;
}

/// Result [i][j]; c is its element of the bias or null, alpha the job's factor or null.
inline float product(const MxTensor& a, std::size_t i, const MxTensor& b, std::size_t j,
                     const float* c, const float* alpha, bool dual) {
  const std::size_t step = step_of(a, b, dual);
  const std::size_t chains = has_two_chains(a, b, dual) ? 2 : 1;
  float acc[2] = {c && !alpha ? *c : 0.0f, 0.0f};
  std::vector<double> terms;
  for (std::size_t k = 0; k < a.k; k += step) {
    float& chain = acc[k / step % chains];
    terms.assign(1, chain);
    for (std::size_t e = k; e < std::min(a.k, k + step); e++) {
      terms.push_back(value_at(a, i, e) * value_at(b, j, e));
    }
    chain = rounded_sum(terms);
  }
  float result = chains == 2 ? rounded_sum({acc[0], acc[1]}) : acc[0];
  if (!alpha) return result;
  const double scaled = static_cast<double>(*alpha) * result;  // 48 bits: exact
  result = scaled == 0 ? 0.0f : static_cast<float>(scaled);
  return c ? rounded_sum({result, *c}) : result;
}

}  // namespace mxe::test
