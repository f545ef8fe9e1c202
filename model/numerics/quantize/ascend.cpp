// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/ascend.h"

#include <fmt/format.h>

#include <cstring>

#include "model/numerics/block/presets.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
namespace {

constexpr uint8_t kScaleOne = 127;

// A quantized operand: `lines` (rows of A, columns of B) by K.
struct Operand {
  std::size_t lines, k;
  std::vector<uint8_t> codes;   // [lines][k]
  std::vector<uint8_t> scales;  // [lines][blocks], blocks even
  std::vector<float> values;    // [lines][k]
  std::size_t blocks;
};

Operand quantize_operand(const std::vector<float>& x, std::size_t lines, std::size_t k,
                         const Quantizer& quantizer) {
  QuantizedArray array = quantize(x.data(), {lines, k}, quantizer.format, quantizer.options);
  Operand operand{lines, k, std::move(array.codes), {}, std::move(array.dequantized), 0};
  // Pads the scales along K to pairs with a scale of 1.
  const std::size_t blocks = array.scale_shape[1];
  operand.blocks = (blocks + 1) / 2 * 2;
  operand.scales.assign(lines * operand.blocks, kScaleOne);
  for (std::size_t line = 0; line < lines; line++) {
    std::memcpy(&operand.scales[line * operand.blocks], &array.scale_codes[line * blocks], blocks);
  }
  return operand;
}

template <typename T>
std::vector<T> transposed(const T* x, std::size_t rows, std::size_t columns) {
  std::vector<T> result(rows * columns);
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t column = 0; column < columns; column++) {
      result[column * rows + row] = x[row * columns + column];
    }
  }
  return result;
}

// Stored codes: [lines][k] if K runs fastest, else [k][lines]; each row is packed separately.
std::vector<uint8_t> stored_codes(const Operand& operand, bool k_fastest, int bits) {
  if (k_fastest) {
    return pack_codes(operand.codes.data(), operand.lines, operand.k, bits, NibbleOrder::low);
  }
  const std::vector<uint8_t> codes = transposed(operand.codes.data(), operand.lines, operand.k);
  return pack_codes(codes.data(), operand.k, operand.lines, bits, NibbleOrder::low);
}

// Stored scales, in pairs along K: [lines][pairs][2] or [pairs][lines][2].
std::vector<uint8_t> stored_scales(const Operand& operand, bool k_fastest) {
  if (k_fastest) return operand.scales;
  std::vector<uint16_t> pairs(operand.scales.size() / 2);
  std::memcpy(pairs.data(), operand.scales.data(), operand.scales.size());
  const std::vector<uint16_t> swapped = transposed(pairs.data(), operand.lines, operand.blocks / 2);
  std::vector<uint8_t> bytes(operand.scales.size());
  std::memcpy(bytes.data(), swapped.data(), bytes.size());
  return bytes;
}

// The samples' expected result: float32 product of the dequantized matrices.
std::vector<uint8_t> product(const Operand& a, const Operand& b) {
  std::vector<float> out(a.lines * b.lines);
  for (std::size_t i = 0; i < a.lines; i++) {
    for (std::size_t j = 0; j < b.lines; j++) {
      float sum = 0;
      for (std::size_t k = 0; k < a.k; k++) sum += a.values[i * a.k + k] * b.values[j * b.k + k];
      out[i * b.lines + j] = sum;
    }
  }
  std::vector<uint8_t> bytes(out.size() * sizeof(float));
  std::memcpy(bytes.data(), out.data(), bytes.size());
  return bytes;
}

constexpr FormatId kAscendFormats[] = {FormatId::mxfp4_e2m1, FormatId::mxfp4_e1m2,
                                       FormatId::mxfp8_e4m3, FormatId::mxfp8_e5m2};

void check_format(FormatId format) {
  std::string allowed;
  for (const FormatId id : kAscendFormats) {
    if (id == format) return;
    allowed += (allowed.empty() ? "" : ", ") + element_format(id).name;
  }
  throw Error(
      fmt::format("Ascend has no '{}' (allowed: {})", element_format(format).name, allowed));
}

}  // namespace

AscendFiles ascend_files(const float* a, const float* b, const AscendProblem& problem,
                         std::string_view format) {
  const Quantizer quantizer = make_quantizer(format, "ascend");
  const FormatId id = parse_format(format);
  check_format(id);
  const std::vector<float> a_rows(a, a + problem.m * problem.k);
  const Operand qa = quantize_operand(a_rows, problem.m, problem.k, quantizer);
  const Operand qb =
      quantize_operand(transposed(b, problem.k, problem.n), problem.n, problem.k, quantizer);
  const int bits = quantizer.format.bits;
  AscendFiles files;
  files.a_8 = stored_codes(qa, !problem.trans_a, bits);
  files.a_scale = stored_scales(qa, !problem.trans_a);
  files.b_8 = stored_codes(qb, problem.trans_b, bits);
  files.b_scale = stored_scales(qb, problem.trans_b);
  files.expected_data = product(qa, qb);
  return files;
}

}  // namespace mxe::numerics
