// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/prepared_operand.h"

#include "model/numerics/gemm/gemm_pack.h"
#include "model/numerics/kernels/gemm_kernels.h"

namespace mxe::numerics {

std::shared_ptr<const PackedOperand> PreparedOperand::packed(FormatId format_a,
                                                             const GemmKernels& kernels,
                                                             std::size_t step_blocks,
                                                             SimdLevel level,
                                                             unsigned threads) const {
  const Purpose purpose{format_a, tile_columns(kernels), kernels.adds_bytes_in_words, step_blocks};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!packed_ || !(purpose_ == purpose)) {
    packed_ = std::make_shared<const PackedOperand>(
        pack_b(tensor_, format_a,
               {purpose.columns, purpose.adds_bytes_in_words, level, threads, step_blocks}));
    purpose_ = purpose;
  }
  return packed_;
}

}  // namespace mxe::numerics
