// SPDX-License-Identifier: Apache-2.0
// What files call the types of element and scale codes.
#pragma once

#include <string_view>

#include "model/numerics/format.h"
#include "model/numerics/quantizer_options.h"

namespace mx {

/// What files call the type of codes, where that is more than bytes.
struct CodeType {
  std::string_view safetensors;  ///< F8_E4M3, ...; empty if the format has no such type
  std::string_view npy;          ///< what NumPy saves for the type of ml_dtypes; empty if none
};
CodeType code_type(const ElementFormat& format);
CodeType code_type(const ScaleFormat& format);

}  // namespace mx
