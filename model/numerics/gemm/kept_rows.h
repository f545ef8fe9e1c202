// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "model/numerics/gemm/prepared_operand.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

struct PreparedRows {
  explicit PreparedRows(MxTensor tensor) : rows(std::move(tensor)), prepared(rows) {}

  MxTensor rows;
  PreparedOperand prepared;
};

/// Keeps the packed rows of an array, such as weights, from its second product as B on.
/// Thread-safe.
class KeptRows {
 public:
  /// Call before an array becomes writable: products then compare codes and scales with kept rows.
  void may_change();
  bool changes();

  /// make() returns the current rows.
  template <typename Make>
  std::shared_ptr<const PreparedRows> of(const Make& make) {
    if (std::shared_ptr<const PreparedRows> known = unchanging()) return known;
    return latest(make());
  }

 private:
  // Null if no rows are kept or they may have changed.
  std::shared_ptr<const PreparedRows> unchanging();
  // The kept rows if they equal `rows`, else `rows`; keeps them from the second call on.
  std::shared_ptr<const PreparedRows> latest(MxTensor rows);

  std::mutex mutex_;
  std::shared_ptr<const PreparedRows> rows_;
  bool multiplied_ = false;
  bool may_change_ = false;
};

}  // namespace mxe::numerics
