// SPDX-License-Identifier: Apache-2.0
// Reading .safetensors files (F32, F16, BF16, F64), strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/error.h"

namespace mx {

struct NamedTensor {
  std::string name;
  std::string dtype;  ///< as the file calls it: F32, F16, BF16, F64
  std::vector<std::size_t> shape;
  std::vector<float> values;  ///< [shape]; F16 and BF16 exactly, F64 rounded to nearest even
};

/// Reads all tensors, in the order of their names. Throws Error, one line naming the file and the
/// tensor, for truncated or lying headers (sizes, offsets, gaps, overlaps) and other types.
std::vector<NamedTensor> read_safetensors(const std::string& path);

/// The same from memory; `name` is used in messages.
std::vector<NamedTensor> parse_safetensors(const uint8_t* bytes, std::size_t size,
                                           const std::string& name);

}  // namespace mx
