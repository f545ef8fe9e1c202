// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/requantize.h"
#include "model/numerics/tensor.h"

namespace mxe {

struct NumberFormat;

/// What an engine makes of its FP32 sums: the part of a job that says how results are stored.
struct OutputFormat {
  /// The rows of number_formats(), in their order, and blocks.
  enum class Kind : uint8_t { fp32, bf16, fp16, mx };

  Kind kind = Kind::fp32;
  mx::RequantOptions requant;  ///< of Kind::mx

  /// The row of number_formats(); null if MX.
  const NumberFormat* numbers() const;
  /// The code of a descriptor's out_fmt.
  uint32_t code() const;
  /// fp32, bf16, fp16 or the name of the MX format.
  std::string name() const;
  /// Bytes of one row of results, without a gap. Rows of MX elements are packed.
  std::size_t row_bytes(std::size_t columns) const;
  /// Bytes of the scales of one row, 0 unless MX.
  std::size_t scale_bytes(std::size_t columns) const;
  /// What addresses and strides of results must be multiples of.
  unsigned alignment() const;
};

/// An output format whose results are numbers one by one, without scales.
struct NumberFormat {
  OutputFormat::Kind kind;
  const char* name;
  uint32_t code;                       ///< of a descriptor's out_fmt
  unsigned bytes;                      ///< of a number: 4, which is FP32, or 2
  float largest;                       ///< finite number
  float smallest;                      ///< positive normal number
  uint16_t (*narrow)(uint32_t bits);   ///< rounds the bits of an FP32 number; null for FP32
  uint32_t (*widen)(uint16_t number);  ///< the inverse; null for FP32
};

/// Every such format.
const std::array<NumberFormat, 3>& number_formats();
/// The one with this code of a descriptor's out_fmt; null if there is none.
const NumberFormat* find_number_format(uint32_t code);
/// `count` FP32 numbers, given as their bits, as they lie in memory: `values` itself or `buffer`,
/// which is resized.
const uint8_t* stored_numbers(const NumberFormat& format, const uint32_t* values, std::size_t count,
                              std::vector<uint16_t>& buffer);
/// The inverse.
std::vector<float> load_numbers(const NumberFormat& format, const uint8_t* bytes,
                                std::size_t count);

/// Every kind of output format, and its name: that of its numbers, or mx.
const std::vector<OutputFormat::Kind>& output_kinds();
const char* kind_name(OutputFormat::Kind kind);
/// Every format of numbers and every MX format, the choices of the latter at their defaults.
std::vector<OutputFormat> all_output_formats();

/// The inverse of OutputFormat::name, the choices of an MX format at their defaults. Throws
/// mx::Error with the allowed names.
OutputFormat parse_output_format(std::string_view name);

/// Results as they lie in memory, rows without gaps.
struct StoredOutput {
  std::vector<uint8_t> bytes;   ///< [rows][row_bytes]
  std::vector<uint8_t> scales;  ///< [rows][scale_bytes]
  uint64_t saturations = 0;     ///< MX elements beyond the largest one

  /// Puts the rows of another result below.
  void append(const StoredOutput& below);
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

/// How the numbers of a bias are stored.
const NumberFormat& bias_format(bool bf16);
/// A bias as it lies in memory.
std::vector<uint8_t> store_bias(const std::vector<float>& values, bool bf16);

}  // namespace mxe
