// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "model/numerics/gemm/prepared_operand.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::python {

struct PreparedRows {
  explicit PreparedRows(numerics::MxTensor tensor) : rows(std::move(tensor)), prepared(rows) {}

  numerics::MxTensor rows;
  numerics::PreparedOperand prepared;
};

/// Keeps the packed rows of an array from its second product as B on, as for weights; other arrays
/// are multiplied once. Thread-safe.
class KeptRows {
 public:
  /// Call when Python gets a writable view: products then compare codes and scales with kept rows.
  void may_change();
  bool changes();

  /// make() returns the current rows.
  template <typename Make>
  std::shared_ptr<const PreparedRows> of(const Make& make) {
    if (std::shared_ptr<const PreparedRows> known = unchanging()) return known;
    return latest(make());
  }

 private:
  // Null if the kept rows may have changed.
  std::shared_ptr<const PreparedRows> unchanging();
  // Keeps `rows`, unless the kept rows are equal.
  std::shared_ptr<const PreparedRows> latest(numerics::MxTensor rows);

  std::mutex mutex_;
  std::shared_ptr<const PreparedRows> rows_;
  bool multiplied_ = false;
  bool may_change_ = false;
};

}  // namespace mxe::python
