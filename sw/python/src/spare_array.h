// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "model/numerics/quantize/quantize.h"

namespace mxe::python {

/// Keeps the memory of the last large array for the next one of the same size, because page faults
/// of new memory take a quarter of the time of quantizing. Thread-safe.
class SpareArray {
 public:
  /// Contents are undefined.
  numerics::QuantizedArray take(std::size_t elements);
  void give(numerics::QuantizedArray array);

 private:
  std::mutex mutex_;
  std::optional<numerics::QuantizedArray> array_;
};

SpareArray& spare_array();

}  // namespace mxe::python
