// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/requantize.h"
#include "model/numerics/tensor.h"

namespace mxe {

/// What an engine makes of its FP32 sums: the part of a job that says how results are stored.
struct OutputFormat {
  enum class Kind : uint8_t { fp32, bf16, mx };

  Kind kind = Kind::fp32;
  mx::RequantOptions requant;  ///< of Kind::mx

  /// The code of a descriptor's out_fmt.
  uint32_t code() const;
  /// fp32, bf16 or the name of the MX format.
  std::string name() const;
  /// Bytes of one row of results, without a gap. Rows of MX elements are packed.
  std::size_t row_bytes(std::size_t columns) const;
  /// Bytes of the scales of one row, 0 unless MX.
  std::size_t scale_bytes(std::size_t columns) const;
  /// What addresses and strides of results must be multiples of.
  unsigned alignment() const;
};

/// The inverse of OutputFormat::name, the choices of an MX format at their defaults. Throws
/// mx::Error with the allowed names.
OutputFormat parse_output_format(std::string_view name);

/// Results as they lie in memory, rows without gaps.
struct StoredOutput {
  std::vector<uint8_t> bytes;   ///< [rows][row_bytes]
  std::vector<uint8_t> scales;  ///< [rows][scale_bytes]
  uint64_t saturations = 0;     ///< MX elements beyond the largest one
};

/// What an engine stores for these sums [rows][columns].
StoredOutput store_output(const std::vector<float>& sums, std::size_t rows, std::size_t columns,
                          const OutputFormat& format);

/// The numbers that stored results stand for, [rows][columns].
std::vector<float> load_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                               const OutputFormat& format);

/// The codes and scales of stored results of Kind::mx.
mx::MxTensor load_mx_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                            const OutputFormat& format);

/// The nearest bfloat16 numbers, ties to even: what a bias stored as BF16 holds.
std::vector<float> round_to_bfloat16(const std::vector<float>& values);

/// A bias as it lies in memory.
std::vector<uint8_t> store_bias(const std::vector<float>& values, bool bf16);

}  // namespace mxe
