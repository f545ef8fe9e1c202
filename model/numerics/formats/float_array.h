// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"

namespace mxe::numerics {

enum class NumberType : uint8_t { float32, float16, bfloat16 };

/// Non-owning view of an array of float32, FP16 or BF16 numbers. 16-bit numbers may be unaligned.
class FloatArray {
 public:
  FloatArray(const float* x) : data_(x) {}  // NOLINT: float32 arrays are the usual ones
  FloatArray(const void* data, NumberType type) : data_(data), type_(type) {}

  const void* data() const { return data_; }
  NumberType type() const { return type_; }

  FloatArray from(std::size_t index) const {
    const std::size_t size = type_ == NumberType::float32 ? 4 : 2;
    return {static_cast<const uint8_t*>(data_) + index * size, type_};
  }

  float operator[](std::size_t index) const {
    const auto* bytes = static_cast<const uint8_t*>(from(index).data());
    if (type_ == NumberType::float32) {
      float value;
      std::memcpy(&value, bytes, sizeof value);
      return value;
    }
    uint16_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return type_ == NumberType::float16 ? float16_to_float(bits) : from_bits(widened_bits(bits));
  }

 private:
  const void* data_;
  NumberType type_ = NumberType::float32;
};

}  // namespace mxe::numerics
