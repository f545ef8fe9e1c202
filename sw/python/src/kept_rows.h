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

/// Keeps the packed rows of an array from its second product as B on: weights are multiplied often,
/// but other arrays once, where keeping would waste memory. Thread-safe.
class KeptRows {
 public:
  /// Call after Python gets a writable view: products then compare codes and scales with kept rows.
  void may_change();
  bool changes();

  /// The packed rows; make() returns the current rows.
  template <typename Make>
  std::shared_ptr<const PreparedRows> of(const Make& make) {
    if (std::shared_ptr<const PreparedRows> known = unchanging()) return known;
    return latest(make());
  }

 private:
  // The kept rows if they cannot have changed, else null.
  std::shared_ptr<const PreparedRows> unchanging();
  // The kept rows if they equal `rows`, else `rows`, which are kept.
  std::shared_ptr<const PreparedRows> latest(numerics::MxTensor rows);

  std::mutex mutex_;
  std::shared_ptr<const PreparedRows> rows_;
  bool multiplied_ = false;
  bool may_change_ = false;
};

}  // namespace mxe::python
