// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/quantize/requantize.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::job {

struct NumberFormat;

struct OutputFormat {
  /// Formats of numbers, in the order of number_formats(), then MX.
  enum class Kind : uint8_t { fp32, bf16, fp16, mx };

  Kind kind = Kind::fp32;
  numerics::RequantOptions requant;  ///< of Kind::mx

  /// The row of number_formats(); null if MX.
  const NumberFormat* numbers() const;
  /// Value of out_fmt in a descriptor.
  uint32_t code() const;
  /// fp32, bf16, fp16 or the name of the MX format.
  std::string name() const;
  /// Bytes of one row of results. MX elements are packed: 33 columns of MXFP4 take 17 bytes.
  std::size_t row_bytes(std::size_t columns) const;
  /// Bytes of the scales of one row: 33 columns of MX take 2; 0 for numbers.
  std::size_t scale_bytes(std::size_t columns) const;
  /// Alignment of addresses and strides of results, in bytes.
  unsigned alignment() const;
};

struct NumberFormat {
  OutputFormat::Kind kind;
  const char* name;
  uint32_t code;                       ///< out_fmt in a descriptor
  unsigned bytes;                      ///< of a number: 4 for FP32, else 2
  float largest;                       ///< finite
  float smallest;                      ///< normal, positive
  uint16_t (*narrow)(uint32_t bits);   ///< rounds the bits of an FP32 number; null for FP32
  uint32_t (*widen)(uint16_t number);  ///< the inverse; null for FP32
};

const std::array<NumberFormat, 3>& number_formats();
/// The format with this value of a descriptor's out_fmt, or null.
const NumberFormat* find_number_format(uint32_t code);
/// Converts `count` FP32 bit patterns to the bytes stored in memory. Returns `values` itself for
/// FP32, else the contents of `buffer`, which is resized.
const uint8_t* stored_numbers(const NumberFormat& format, const uint32_t* values, std::size_t count,
                              std::vector<uint16_t>& buffer);
/// Converts stored bytes back to FP32.
std::vector<float> load_numbers(const NumberFormat& format, const uint8_t* bytes,
                                std::size_t count);

const std::vector<OutputFormat::Kind>& output_kinds();
const char* kind_name(OutputFormat::Kind kind);
/// Every format of numbers and every MX format with default requantisation options.
std::vector<OutputFormat> all_output_formats();

/// Inverse of OutputFormat::name, default requantisation options. Throws Error for other names.
OutputFormat parse_output_format(std::string_view name);

/// Results as stored in memory, rows without gaps.
struct StoredOutput {
  std::vector<uint8_t> bytes;   ///< [rows][row_bytes]
  std::vector<uint8_t> scales;  ///< [rows][scale_bytes]
  uint64_t saturations = 0;     ///< MX elements that rounded beyond the largest of the format

  void append(const StoredOutput& below);
};

/// Converts FP32 sums [rows][columns] to the engine's stored result, bit for bit.
StoredOutput store_output(const std::vector<float>& sums, std::size_t rows, std::size_t columns,
                          const OutputFormat& format);

std::vector<float> load_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                               const OutputFormat& format);

/// Codes and scales of stored results of Kind::mx.
numerics::MxTensor load_mx_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                                  const OutputFormat& format);

std::vector<float> round_to_bfloat16(const std::vector<float>& values);

const NumberFormat& bias_format(bool bf16);
/// Bytes of a bias in memory; with `bf16`, all values must be exact in BF16.
std::vector<uint8_t> store_bias(const std::vector<float>& values, bool bf16);

}  // namespace mxe::job
