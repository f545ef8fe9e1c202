// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "model/job/job.h"
#include "model/numerics/base/error.h"
#include "model/numerics/formats/scaled_format.h"

namespace mxe::explore {

/// The format of an operand in a space or a format map: an MX format in blocks of 32, or NVFP4.
struct OperandFormat {
  numerics::FormatId element = numerics::FormatId::mxfp8_e4m3;
  bool nvfp4 = false;

  OperandFormat() = default;
  OperandFormat(numerics::FormatId mx) : element(mx) {}  // NOLINT: an MX format is one
  explicit OperandFormat(const numerics::ScaledFormat& format)
      : element(format.element), nvfp4(format.scales == numerics::kNvfp4Scales) {}
  /// Throws Error with the allowed names.
  static OperandFormat parse(std::string_view name) {
    return OperandFormat(numerics::parse_scaled_format(name, std::nullopt));
  }

  numerics::ScaledFormat scaled() const {
    return {element, nvfp4 ? numerics::kNvfp4Scales : numerics::ScaleLayout{}};
  }
  std::string name() const { return scaled().name(); }
  /// Its number in constraints: the FormatId, of NVFP4 one more than the last.
  double number() const {
    return static_cast<double>(nvfp4 ? std::size(numerics::kAllFormats)
                                     : static_cast<std::size_t>(element));
  }
};

inline bool operator<(const OperandFormat& a, const OperandFormat& b) {
  return std::tie(a.element, a.nvfp4) < std::tie(b.element, b.nvfp4);
}
inline bool operator==(const OperandFormat& a, const OperandFormat& b) {
  return std::tie(a.element, a.nvfp4) == std::tie(b.element, b.nvfp4);
}

/// Gives a job these formats, and ALPHA for the tensor scales of NVFP4. Throws LimitError for NVFP4
/// by another format, which engines do not multiply.
inline void set_formats(const OperandFormat& a, const OperandFormat& b, job::JobShape& shape) {
  if (a.nvfp4 != b.nvfp4) {
    throw LimitError("no engine multiplies " + a.name() + " by " + b.name(), "NVFP4 on both sides",
                     {a.number(), b.number()});
  }
  shape.format_a = a.element;
  shape.scales_a = a.scaled().scales;
  shape.format_b = b.element;
  shape.scales_b = b.scaled().scales;
  if (a.nvfp4) shape.alpha = 1.0F;
}

}  // namespace mxe::explore
