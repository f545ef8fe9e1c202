// SPDX-License-Identifier: Apache-2.0
// B of several products, such as weights: what it is packed into is kept.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "model/numerics/format.h"
#include "model/numerics/simd.h"
#include "model/numerics/tensor.h"

namespace mx {

struct GemmKernels;
struct PackedOperand;

/// A B [N][K] and what the latest product packed of it, which the next one uses if its kernels and
/// the format of its A are the same. Several threads may multiply by it at once. Does not own the
/// tensor, which must stay as it is.
class PreparedOperand {
 public:
  explicit PreparedOperand(const MxTensor& b) : tensor_(b) {}

  const MxTensor& tensor() const { return tensor_; }

  /// Packed for a product with an A of `format_a` by these kernels. `level` and `threads` pack.
  std::shared_ptr<const PackedOperand> packed(FormatId format_a, const GemmKernels& kernels,
                                              SimdLevel level, unsigned threads) const;

 private:
  // What the packed form depends on beside the tensor.
  struct Purpose {
    FormatId format_a;
    std::size_t columns;
    bool adds_bytes_in_words;

    bool operator==(const Purpose& other) const {
      return format_a == other.format_a && columns == other.columns &&
             adds_bytes_in_words == other.adds_bytes_in_words;
    }
  };

  const MxTensor& tensor_;
  mutable std::mutex mutex_;
  mutable Purpose purpose_{};
  mutable std::shared_ptr<const PackedOperand> packed_;
};

}  // namespace mx
