// SPDX-License-Identifier: Apache-2.0
#include "model/job/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"
#include "model/numerics/gemm/gemm.h"
#include "mxe_regs.h"

namespace mxe::job {
namespace {

std::vector<uint8_t> stored_bytes(const NumberFormat& format, const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  std::vector<uint16_t> buffer;
  const uint8_t* bytes = stored_numbers(format, bits.data(), bits.size(), buffer);
  return {bytes, bytes + values.size() * format.bytes};
}

const NumberFormat& numbers_of(OutputFormat::Kind kind) {
  return number_formats()[static_cast<std::size_t>(kind)];
}

}  // namespace

const std::array<NumberFormat, 3>& number_formats() {
  static constexpr std::array<NumberFormat, 3> kTable{{
      {OutputFormat::Kind::fp32, "fp32", MXE_OUT_FP32, 4, std::numeric_limits<float>::max(),
       0x1p-126f, nullptr, nullptr},
      {OutputFormat::Kind::bf16, "bf16", MXE_OUT_BF16, 2, 0x1.FEp127f, 0x1p-126f,
       numerics::bfloat16_bits, numerics::widened_bits},
      {OutputFormat::Kind::fp16, "fp16", MXE_OUT_FP16, 2, 65504.0f, 0x1p-14f,
       numerics::float16_bits,
       [](uint16_t number) { return to_bits(numerics::float16_to_float(number)); }},
  }};
  return kTable;
}

const NumberFormat* find_number_format(uint32_t code) {
  for (const NumberFormat& format : number_formats()) {
    if (format.code == code) return &format;
  }
  return nullptr;
}

const uint8_t* stored_numbers(const NumberFormat& format, const uint32_t* values, std::size_t count,
                              std::vector<uint16_t>& buffer) {
  if (!format.narrow) return reinterpret_cast<const uint8_t*>(values);
  buffer.resize(count);
  std::transform(values, values + count, buffer.begin(), format.narrow);
  return reinterpret_cast<const uint8_t*>(buffer.data());
}

std::vector<float> load_numbers(const NumberFormat& format, const uint8_t* bytes,
                                std::size_t count) {
  std::vector<float> values(count);
  if (!format.widen) {
    std::memcpy(values.data(), bytes, count * sizeof(float));
    return values;
  }
  for (std::size_t i = 0; i < count; i++) {
    uint16_t number = 0;
    std::memcpy(&number, bytes + i * sizeof number, sizeof number);
    const uint32_t bits = format.widen(number);
    std::memcpy(&values[i], &bits, sizeof bits);
  }
  return values;
}

const std::vector<OutputFormat::Kind>& output_kinds() {
  static const std::vector<OutputFormat::Kind> kKinds = [] {
    std::vector<OutputFormat::Kind> kinds;
    for (const NumberFormat& format : number_formats()) kinds.push_back(format.kind);
    kinds.push_back(OutputFormat::Kind::mx);
    return kinds;
  }();
  return kKinds;
}

const char* kind_name(OutputFormat::Kind kind) {
  return kind == OutputFormat::Kind::mx ? "mx" : numbers_of(kind).name;
}

std::vector<OutputFormat> all_output_formats() {
  std::vector<OutputFormat> all;
  for (const NumberFormat& format : number_formats()) {
    all.emplace_back().kind = format.kind;
  }
  for (const numerics::FormatId format : numerics::kAllFormats) {
    OutputFormat& output = all.emplace_back();
    output.kind = OutputFormat::Kind::mx;
    output.requant.format = format;
  }
  return all;
}

const NumberFormat* OutputFormat::numbers() const {
  return kind == Kind::mx ? nullptr : &numbers_of(kind);
}

uint32_t OutputFormat::code() const {
  if (const NumberFormat* format = numbers()) return format->code;
  return MXE_OUT_MXFP4_E2M1 + static_cast<uint32_t>(requant.format);
}

std::string OutputFormat::name() const {
  if (const NumberFormat* format = numbers()) return format->name;
  return numerics::element_format(requant.format).name;
}

std::size_t OutputFormat::row_bytes(std::size_t columns) const {
  return kind == Kind::mx ? numerics::packed_row_bytes(requant.format, columns)
                          : columns * alignment();
}

std::size_t OutputFormat::scale_bytes(std::size_t columns) const {
  return kind == Kind::mx ? (columns + kBlockSize - 1) / kBlockSize : 0;
}

unsigned OutputFormat::alignment() const {
  const NumberFormat* format = numbers();
  return format ? format->bytes : 1;
}

OutputFormat parse_output_format(std::string_view name) {
  OutputFormat format;
  for (const NumberFormat& one : number_formats()) {
    if (name != one.name) continue;
    format.kind = one.kind;
    return format;
  }
  try {
    format.requant.format = numerics::parse_format(name);
  } catch (const Error& error) {
    std::vector<const char*> names;
    for (const NumberFormat& one : number_formats()) names.push_back(one.name);
    throw Error(fmt::format("the output format must be {} or an MX format: {}",
                            fmt::join(names, ", "), error.what()));
  }
  format.kind = OutputFormat::Kind::mx;
  return format;
}

void StoredOutput::append(const StoredOutput& below) {
  bytes.insert(bytes.end(), below.bytes.begin(), below.bytes.end());
  scales.insert(scales.end(), below.scales.begin(), below.scales.end());
  saturations += below.saturations;
}

StoredOutput store_output(const std::vector<float>& sums, std::size_t rows, std::size_t columns,
                          const OutputFormat& format) {
  StoredOutput stored;
  if (const NumberFormat* numbers = format.numbers()) {
    stored.bytes = stored_bytes(*numbers, sums);
    return stored;
  }
  numerics::MxTensor tensor =
      numerics::to_mx(sums, rows, columns, format.requant.format, format.requant.rule,
                      format.requant.overflow, &stored.saturations);
  stored.bytes = numerics::pack_rows(tensor);
  stored.scales = std::move(tensor.scales);
  return stored;
}

numerics::MxTensor load_mx_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                                  const OutputFormat& format) {
  numerics::MxTensor tensor;
  tensor.format = format.requant.format;
  tensor.rows = rows;
  tensor.k = columns;
  if (rows == 0 || columns == 0) return tensor;
  tensor.codes = numerics::unpack_rows(tensor.format, stored.bytes.data(), rows, columns,
                                       format.row_bytes(columns));
  tensor.scales = stored.scales;
  return tensor;
}

std::vector<float> load_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                               const OutputFormat& format) {
  const NumberFormat* numbers = format.numbers();
  if (!numbers) return numerics::dequantize(load_mx_output(stored, rows, columns, format));
  return load_numbers(*numbers, stored.bytes.data(), rows * columns);
}

std::vector<float> round_to_bfloat16(const std::vector<float>& values) {
  std::vector<float> rounded(values.size());
  std::transform(values.begin(), values.end(), rounded.begin(), numerics::round_to_bfloat16);
  return rounded;
}

const NumberFormat& bias_format(bool bf16) {
  return numbers_of(bf16 ? OutputFormat::Kind::bf16 : OutputFormat::Kind::fp32);
}

std::vector<uint8_t> store_bias(const std::vector<float>& values, bool bf16) {
  return stored_bytes(bias_format(bf16), values);
}

}  // namespace mxe::job
