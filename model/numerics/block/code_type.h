// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// Type names of element or scale codes in files.
struct CodeType {
  std::string_view safetensors;  ///< such as F8_E4M3; empty if .safetensors has no such type
  std::string_view npy;          ///< NumPy's descr of the ml_dtypes type; empty if none
};
CodeType code_type(const ElementFormat& format);
CodeType code_type(const ScaleFormat& format);

}  // namespace mxe::numerics
