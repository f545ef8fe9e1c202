// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/banks.h"
#include "model/engine/hardware.h"
#include "model/numerics/tensor.h"
#include "model/params/params.h"

namespace mxe {

/// Operand buffer (mxe_opbuf): the times at which its banks are full, and the operand itself.
///
/// The RTL's banks hold pieces of K, but the numerics library multiplies whole rows. So the data is
/// kept as sets of whole rows, gathered from the fetches: a set is a stripe of A or a tile of B.
/// The loaders run ahead by two banks at most, which limits how many sets are needed.
class OpBuf {
 public:
  explicit OpBuf(unsigned sets) : sets_(sets) {}

  /// The operand of the coming job: its format and depth.
  void configure(mx::FormatId format, uint32_t k);
  /// Packed elements of row `line` of a set, from element `first` on.
  void put_elements(unsigned set, unsigned line, uint32_t first, const uint8_t* packed,
                    uint32_t bytes);
  /// Scales of row `line` of a set, from scale `first` on.
  void put_scales(unsigned set, unsigned line, uint32_t first, const uint8_t* scales,
                  uint32_t bytes);
  /// The first `rows` rows of a set. All of them must have been put.
  const mx::MxTensor& rows(unsigned set, unsigned rows);

  BankFills fills;

 private:
  mx::MxTensor& tensor(unsigned set, unsigned line);

  mx::FormatId format_ = mx::FormatId::mxint8;
  uint32_t k_ = 0;
  std::vector<mx::MxTensor> sets_;
};

/// Sets of A in the buffer, and the one that holds stripe number `stripe` of a job.
inline constexpr unsigned kASets = 2;
inline unsigned a_set(unsigned stripe) { return stripe % kASets; }

/// Sets of B in the buffer: the tiles of three groups, because the B words of the first group's
/// last pass may still be in use when the third group begins to arrive.
inline constexpr unsigned kBGroups = 3;
inline unsigned b_sets(const Params& params) { return kBGroups * params.acc_tiles; }
inline unsigned b_set(const Params& params, unsigned group, unsigned tile) {
  return group % kBGroups * params.acc_tiles + tile;
}

}  // namespace mxe
