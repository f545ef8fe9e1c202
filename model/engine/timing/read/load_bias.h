// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/engine/timing/common/banks.h"
#include "model/engine/timing/common/rows.h"
#include "model/engine/timing/read/read_client.h"

namespace mxe::engine {

/// Bias loader (mxe_load_bias): fetches the rows of C's tiles, ahead of the array by as many banks
/// of the bias buffer as are free.
class LoadBias final : public ReadClient {
 public:
  explicit LoadBias(const Params& params) : params_(params) {}

  /// A job with a bias starts in `cycle` (start_i).
  void start(uint64_t cycle, uint64_t address, uint32_t stride, uint32_t batch, uint32_t m,
             uint32_t n, bool bfloat16) {
    number_bytes_ = bfloat16 ? kBfloat16Bytes : kFloatBytes;
    rows_ = Rows(params_, address, stride, batch, m, n, number_bytes_, stride == 0);
    banks_.want(cycle + 1);
    prepare();
  }
  /// The last row of a tile's bias was read in `cycle`.
  void release(uint64_t cycle) override { banks_.release(cycle); }
  uint64_t done_cycle() const override { return rows_.valid() ? kNever : next_cycle_; }
  void clear() override { *this = LoadBias(params_); }

  void visit(StateVisitor& visitor) override {
    banks_.visit(visitor);
    visitor.cycle(next_cycle_);
    rows_.visit(visitor);
    prepare();
  }

  uint64_t request_cycle() const override {
    if (!rows_.valid() || banks_.taken_cycle() == kNever) return kNever;
    return std::max(next_cycle_, banks_.taken_cycle());
  }
  const Fetch& fetch() const override { return fetch_; }
  void accept(uint64_t cycle) override {
    next_cycle_ = cycle + 1;
    const bool last = fetch_.last;
    rows_.step();
    if (last) {
      banks_.finish();
      bank_ ^= 1;
      if (rows_.valid()) banks_.want(cycle + 1);
    }
    prepare();
  }
  Track track() const override { return Track::loader_bias; }

 private:
  void prepare() {
    fetch_.kind = FetchKind::bias;
    fetch_.address = rows_.address();
    fetch_.bytes = rows_.cols() * number_bytes_;
    fetch_.word_bytes = kPlainWordBytes;
    fetch_.last = rows_.last_row();
    fetch_.bank = bank_;
    fetch_.line = rows_.row();
  }

  Params params_;
  unsigned number_bytes_ = kFloatBytes;
  Rows rows_;
  BankCredits banks_;
  Fetch fetch_;
  uint64_t next_cycle_ = 0;
  unsigned bank_ = 0;
};

}  // namespace mxe::engine
