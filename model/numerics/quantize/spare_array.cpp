// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/spare_array.h"

#include <utility>

namespace mxe::numerics {
namespace {

// In elements. Smaller arrays use the heap's free memory; larger ones would keep too much.
constexpr std::size_t kLeast = std::size_t{1} << 20, kMost = std::size_t{1} << 26;

std::size_t elements_of(const QuantizedArray& array) {
  return array.codes.size() + array.wide_codes.size();
}

}  // namespace

QuantizedArray SpareArray::take(std::size_t elements) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!array_ || elements_of(*array_) != elements) return {};
  return *std::exchange(array_, std::nullopt);
}

void SpareArray::give(QuantizedArray array) {
  const std::size_t elements = elements_of(array);
  if (elements < kLeast || elements > kMost) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<QuantizedArray> kept(std::move(array));
  array_.swap(kept);
}

}  // namespace mxe::numerics
