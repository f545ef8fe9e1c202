// SPDX-License-Identifier: Apache-2.0
#include "model/engine/arithmetic/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/error.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/gemm_definition.h"

namespace mxe::engine {

void Arithmetic::merge(const uint32_t* even, const uint32_t* odd, unsigned count, uint32_t* sums) {
  for (unsigned i = 0; i < count; i++) sums[i] = numerics::merge_chains(even[i], odd[i]);
}

void Arithmetic::finish(uint32_t alpha, const uint32_t* values, const uint32_t* c, unsigned count,
                        uint32_t* results) {
  for (unsigned i = 0; i < count; i++) {
    const float bias = c ? from_bits(c[i]) : 0;
    results[i] =
        to_bits(numerics::apply_alpha(from_bits(alpha), from_bits(values[i]), c ? &bias : nullptr));
  }
}

unsigned Arithmetic::count_nans(const uint32_t* values, unsigned count) {
  return static_cast<unsigned>(std::count_if(values, values + count, is_nan_bits));
}

const uint8_t* Arithmetic::store(const job::NumberFormat& format, const uint32_t* values,
                                 unsigned count, std::vector<uint16_t>& buffer) {
  return job::stored_numbers(format, values, count, buffer);
}

EncodedRow Arithmetic::encode(const uint32_t* values, unsigned count,
                              const numerics::RequantOptions& options) {
  EncodedRow row;
  float numbers[kBlockSize];
  std::memcpy(numbers, values, count * sizeof *values);
  uint8_t codes[kBlockSize];
  numerics::requantize_block(numbers, count, options, codes, row.scale, row.saturated.data());
  const std::vector<uint8_t> packed =
      numerics::pack_codes(codes, 1, count, numerics::element_shape(options.format).stored_bits(),
                           numerics::NibbleOrder::low);
  std::copy(packed.begin(), packed.end(), row.elements.begin());
  return row;
}

ArithmeticFactory parse_arithmetic(const std::string& name) {
  if (name == "golden") return make_golden_arithmetic;
  if (name == "structural") return make_structural_arithmetic;
  throw Error(fmt::format("unknown arithmetic '{}' (allowed: golden, structural)", name));
}

}  // namespace mxe::engine
