// SPDX-License-Identifier: Apache-2.0
#include "sw/arrays/products.h"

#include <fmt/format.h>

#include <utility>

#include "model/numerics/base/parallel.h"
#include "model/numerics/formats/scale_checks.h"
#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/operand.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::arrays {
namespace {

numerics::MxTensor rows_of_codes(const Operand& operand, bool k_last) {
  numerics::ArrayParts parts = *operand.codes;
  if (!operand.has_scales) {
    const numerics::FormatId format = numerics::parse_format(operand.quantizer.format.name);
    numerics::MxTensor tensor = numerics::operand_without_scales(format, parts.codes, parts.shape,
                                                                 k_last, parts.codes_name);
    if (operand.tensor_scale) tensor.tensor_scales = {*operand.tensor_scale};
    return tensor;
  }
  const numerics::ScaledFormat format =
      numerics::operand_format(operand.quantizer.format, operand.quantizer.options, operand.path);
  if (!parts.has_scale_codes) {
    throw Error(parts.scales_name + ": the scales are float32 (allowed: uint8 codes)");
  }
  numerics::refuse_nan_scales(parts.scale_codes, format.scales.kind, parts.scales_name);
  parts.axis = k_last ? -1 : -2;
  return numerics::operand_of(numerics::assemble(std::move(parts), operand.quantizer), k_last,
                              operand.path);
}

numerics::MxTensor rows_of(const Operand& operand, bool k_last, unsigned threads) {
  if (operand.codes) return rows_of_codes(operand, k_last);
  numerics::QuantizeRequest request;
  request.axis = k_last ? -1 : -2;
  request.dequantize = false;
  request.threads =
      threads_for(numerics::element_count(operand.numbers.shape) / kBlockSize, threads);
  return numerics::operand_of(
      numerics::quantize(operand.numbers.values.data(), operand.numbers.shape,
                         operand.quantizer.format, operand.quantizer.options, request),
      k_last, operand.path);
}

}  // namespace

job::Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads) {
  const numerics::Batches batches =
      numerics::pair_matrices({a.path, a.shape()}, {b.path, b.shape()}, transposed);
  return job::make_products(rows_of(a, true, threads), rows_of(b, transposed, threads), batches);
}

void add_bias(job::Products& products, Array<float> bias, bool bf16, const std::string& path) {
  const bool one_row = numerics::bias_is_one_row(bias.shape, products.shape, path);
  products.add_bias(std::move(bias.values), one_row, bf16);
}

}  // namespace mxe::arrays
