// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/kept_rows.h"

namespace mxe::numerics {

void KeptRows::may_change() {
  const std::lock_guard<std::mutex> lock(mutex_);
  may_change_ = true;
}

bool KeptRows::changes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return may_change_;
}

std::shared_ptr<const PreparedRows> KeptRows::unchanging() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return may_change_ ? nullptr : rows_;
}

std::shared_ptr<const PreparedRows> KeptRows::latest(MxTensor rows) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_same = [&rows](const MxTensor& kept) {
    return kept.codes == rows.codes && kept.scales == rows.scales && kept.layout == rows.layout &&
           kept.tensor_scales == rows.tensor_scales;
  };
  if (rows_ && is_same(rows_->rows)) return rows_;
  auto made = std::make_shared<const PreparedRows>(std::move(rows));
  if (multiplied_) rows_ = made;
  multiplied_ = true;
  return made;
}

}  // namespace mxe::numerics
