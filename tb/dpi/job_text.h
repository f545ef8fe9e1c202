// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/numerics/gemm/gemm.h"
#include "tb/dpi/words.h"

namespace mxe::dpi {

/// An array of a caller.
template <typename T>
struct Array {
  const char* name;
  T* data;
  std::size_t count;

  T* begin() const { return data; }
  T* end() const { return data + count; }
};

/// Throws Error unless the array has `expected` elements. If that is none, one element is allowed,
/// because an array of SystemVerilog has at least one.
void require_count(const char* name, const void* data, std::size_t count, std::size_t expected);
/// The array with that number of elements.
template <typename T>
Array<T> sized(const Array<T>& array, std::size_t expected) {
  require_count(array.name, array.data, array.count, expected);
  return {array.name, array.data, expected};
}

/// The codes and scales of an operand [rows][k]. Throws Error for other counts and for codes that
/// the format does not have.
numerics::MxTensor tensor_of(const numerics::ScaledFormat& format, std::size_t rows, std::size_t k,
                             Array<const uint8_t> codes, Array<const uint8_t> scales);

/// Reads the words `format` and `block` with a suffix: format_a, block_a.
numerics::ScaledFormat read_operand(Words& words, const std::string& suffix);
/// Reads the words of MX results: rule and overflow.
numerics::RequantOptions read_requantizer(Words& words, numerics::FormatId format);

/// A job as a text describes it (mxe_dpi.h), without its numbers.
class JobText {
 public:
  explicit JobText(const char* text);

  const job::JobShape& shape() const { return shape_; }
  const numerics::GemmOptions& options() const { return options_; }
  uint64_t address() const { return address_; }

  /// Elements of a, a_scales, b, b_scales, c, d, d_scales, or bytes of the image.
  uint64_t count(const std::string& part) const;
  /// The matrices at their addresses.
  job::JobParts parts() const;
  /// The part a, b, c, d, a_scale, b_scale or d_scale.
  static job::JobPart& find_part(job::JobParts& parts, const std::string& name);
  /// Bytes from the descriptor to the end of the last part. Throws Error if a part is outside.
  uint64_t image_size(const job::JobParts& parts) const;

  /// C as numbers, in the size that the job has. Throws Error for numbers that bias_format lacks.
  std::vector<float> bias_of(Array<const uint32_t> c) const;
  job::Job job(const Array<const uint8_t>& a, const Array<const uint8_t>& a_scales,
               const Array<const uint8_t>& b, const Array<const uint8_t>& b_scales,
               const Array<const uint32_t>& c) const;

 private:
  struct Change {
    std::string part;
    bool is_stride;
    uint64_t value;
  };

  job::JobShape shape_;
  numerics::GemmOptions options_;
  uint64_t address_ = 0;
  std::vector<Change> changes_;
};

}  // namespace mxe::dpi
