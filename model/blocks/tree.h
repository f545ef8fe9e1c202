// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_tree: the sum of the eight groups of four lanes, modulo 2^Width.
template <unsigned Width>
struct Tree {
  std::array<uint64_t, kLanes / 4> x_i{};
  uint64_t sum_o = 0;  ///< Width bits

  void evaluate() {
    sum_o = mask64<Width>(((x_i[0] + x_i[1]) + (x_i[2] + x_i[3])) +
                          ((x_i[4] + x_i[5]) + (x_i[6] + x_i[7])));
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "sum_o", Width, sum_o);
  }
};

}  // namespace mxe::blocks
