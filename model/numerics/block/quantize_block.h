// SPDX-License-Identifier: Apache-2.0
// The definition of the preset `ocp`: one block as OCP MX v1.0 describes it, slow and plain. All
// other code for this preset gives the same bits (tests/unit/numerics/definition_test).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

struct QuantizedBlock {
  uint8_t scale = 0;  ///< E8M0
  std::vector<uint16_t> codes;
  std::vector<float> values;  ///< element times scale
};

/// Quantizes the block x[0..k). `rule` and `rounding` (one of `mxe quantize --round`) replace the
/// standard's; `first` is the index of x[0] in its array, for random_bits.
QuantizedBlock quantize_block(const float* x, std::size_t k, const ElementFormat& format,
                              ScaleRule rule = ScaleRule::floor,
                              Rounding rounding = Rounding::nearest_even, uint64_t seed = 0,
                              std::size_t first = 0);

/// The magnitude code of |quotient|, rounded to an element; saturates. `random`: for
/// Rounding::stochastic. Also the reference for elements of NVFP4.
uint32_t nearest_code(const ElementFormat& format, double quotient, Rounding rounding,
                      uint64_t random = 0);

}  // namespace mxe::numerics
