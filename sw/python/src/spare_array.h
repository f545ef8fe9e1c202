// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "model/numerics/quantize.h"

namespace mxe::python {

/// The memory of the last large array that went, for the next one of its size: in a loop, the first
/// touch of new pages would take a quarter of the time of quantizing. Several threads may use it.
class SpareArray {
 public:
  /// An array to quantize `elements` numbers into, whatever it holds.
  mx::QuantizedArray take(std::size_t elements);
  void give(mx::QuantizedArray array);

 private:
  std::mutex mutex_;
  std::optional<mx::QuantizedArray> array_;
};

/// That of this process.
SpareArray& spare_array();

}  // namespace mxe::python
