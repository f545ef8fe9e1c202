// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/bfloat16.h"

#include <algorithm>

namespace mxe::numerics {
namespace {

uint32_t bits_at(const uint8_t* bytes) {
  return widened_bits(static_cast<uint16_t>(bytes[0] | bytes[1] << 8));
}

}  // namespace

std::vector<uint16_t> to_bfloat16(const float* values, std::size_t count) {
  std::vector<uint16_t> result(count);
  std::transform(values, values + count, result.begin(),
                 [](float value) { return bfloat16_bits(to_bits(value)); });
  return result;
}

std::vector<uint16_t> to_bfloat16(const std::vector<float>& values) {
  return to_bfloat16(values.data(), values.size());
}

void widen_bfloat16(const uint8_t* bytes, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; i++) out[i] = from_bits(bits_at(bytes + 2 * i));
}

void widen_bfloat16(const uint8_t* bytes, std::size_t count, uint32_t* out) {
  for (std::size_t i = 0; i < count; i++) out[i] = bits_at(bytes + 2 * i);
}

}  // namespace mxe::numerics
