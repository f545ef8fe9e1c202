// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "model/numerics/prepared_operand.h"
#include "model/numerics/tensor.h"

namespace mxe::python {

/// The rows of an operand B, with what products pack of them.
struct PreparedRows {
  explicit PreparedRows(mx::MxTensor tensor) : rows(std::move(tensor)), prepared(rows) {}

  mx::MxTensor rows;
  mx::PreparedOperand prepared;
};

/// What an array keeps from its second product as B on: weights are multiplied again and again,
/// other arrays once, which would only cost memory. Several threads may use it.
class KeptRows {
 public:
  /// Python got a view of the codes or the scales, through which it can write. From now on they are
  /// compared with what was kept.
  void may_change();
  bool changes();

  /// The rows; make() returns them as they are now.
  template <typename Make>
  std::shared_ptr<const PreparedRows> of(const Make& make) {
    if (std::shared_ptr<const PreparedRows> known = unchanging()) return known;
    return latest(make());
  }

 private:
  // What is kept if it cannot have changed.
  std::shared_ptr<const PreparedRows> unchanging();
  // What is kept if it is the same as these rows, which are kept otherwise.
  std::shared_ptr<const PreparedRows> latest(mx::MxTensor rows);

  std::mutex mutex_;
  std::shared_ptr<const PreparedRows> rows_;
  bool multiplied_ = false;
  bool may_change_ = false;
};

}  // namespace mxe::python
