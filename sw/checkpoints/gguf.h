// SPDX-License-Identifier: Apache-2.0
// Tensors of GGUF files of versions 2 and 3, little endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sw/checkpoints/tensors.h"

namespace mxe::checkpoints {

bool is_gguf(const uint8_t* bytes, std::size_t size);

/// Adds the tensors, with GGUF's axes reversed: rows first, K last. Throws Error with the names of
/// file and tensor for truncated or inconsistent files. Data of types other than F32, F16, BF16,
/// MXFP4 and NVFP4 are not checked and have no bytes.
void add_gguf(const uint8_t* bytes, std::size_t size, const std::string& file, TensorTable& table);

}  // namespace mxe::checkpoints
