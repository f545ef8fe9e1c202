// SPDX-License-Identifier: Apache-2.0
#include "model/job/output.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "model/numerics/error.h"
#include "model/numerics/gemm.h"
#include "mxe_regs.h"

namespace mxe {
namespace {

template <typename T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<float> widen_bfloat16(const std::vector<uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(uint16_t));
  for (std::size_t i = 0; i < values.size(); i++) {
    uint16_t half = 0;
    std::memcpy(&half, &bytes[i * sizeof half], sizeof half);
    const uint32_t bits = uint32_t{half} << 16;
    std::memcpy(&values[i], &bits, sizeof bits);
  }
  return values;
}

}  // namespace

uint32_t OutputFormat::code() const {
  if (kind == Kind::fp32) return MXE_OUT_FP32;
  if (kind == Kind::bf16) return MXE_OUT_BF16;
  return MXE_OUT_MXFP4_E2M1 + static_cast<uint32_t>(requant.format);
}

std::string OutputFormat::name() const {
  if (kind == Kind::fp32) return "fp32";
  if (kind == Kind::bf16) return "bf16";
  return mx::element_format(requant.format).name;
}

std::size_t OutputFormat::row_bytes(std::size_t columns) const {
  return kind == Kind::mx ? mx::packed_row_bytes(requant.format, columns) : columns * alignment();
}

std::size_t OutputFormat::scale_bytes(std::size_t columns) const {
  return kind == Kind::mx ? (columns + mx::kBlockSize - 1) / mx::kBlockSize : 0;
}

unsigned OutputFormat::alignment() const {
  if (kind == Kind::mx) return 1;
  return kind == Kind::bf16 ? sizeof(uint16_t) : sizeof(float);
}

OutputFormat parse_output_format(std::string_view name) {
  OutputFormat format;
  if (name == "fp32") return format;
  if (name == "bf16") {
    format.kind = OutputFormat::Kind::bf16;
    return format;
  }
  try {
    format.requant.format = mx::parse_format(name);
  } catch (const mx::Error& error) {
    throw mx::Error(
        fmt::format("the output format is neither fp32 nor bf16, and: {}", error.what()));
  }
  format.kind = OutputFormat::Kind::mx;
  return format;
}

StoredOutput store_output(const std::vector<float>& sums, std::size_t rows, std::size_t columns,
                          const OutputFormat& format) {
  StoredOutput stored;
  switch (format.kind) {
    case OutputFormat::Kind::fp32:
      stored.bytes = bytes_of(sums);
      break;
    case OutputFormat::Kind::bf16:
      stored.bytes = bytes_of(mx::to_bfloat16(sums));
      break;
    case OutputFormat::Kind::mx: {
      mx::MxTensor tensor =
          mx::to_mx(sums, rows, columns, format.requant.format, format.requant.rule,
                    format.requant.overflow, &stored.saturations);
      stored.bytes = mx::pack_rows(tensor);
      stored.scales = std::move(tensor.scales);
      break;
    }
  }
  return stored;
}

mx::MxTensor load_mx_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                            const OutputFormat& format) {
  mx::MxTensor tensor;
  tensor.format = format.requant.format;
  tensor.rows = rows;
  tensor.k = columns;
  tensor.codes =
      mx::unpack_rows(tensor.format, stored.bytes.data(), rows, columns, format.row_bytes(columns));
  tensor.scales = stored.scales;
  return tensor;
}

std::vector<float> load_output(const StoredOutput& stored, std::size_t rows, std::size_t columns,
                               const OutputFormat& format) {
  if (format.kind == OutputFormat::Kind::mx) {
    return mx::dequantize(load_mx_output(stored, rows, columns, format));
  }
  if (format.kind == OutputFormat::Kind::bf16) return widen_bfloat16(stored.bytes);
  std::vector<float> values(rows * columns);
  std::memcpy(values.data(), stored.bytes.data(), values.size() * sizeof(float));
  return values;
}

std::vector<float> round_to_bfloat16(const std::vector<float>& values) {
  return widen_bfloat16(bytes_of(mx::to_bfloat16(values)));
}

std::vector<uint8_t> store_bias(const std::vector<float>& values, bool bf16) {
  return bf16 ? bytes_of(mx::to_bfloat16(values)) : bytes_of(values);
}

}  // namespace mxe
