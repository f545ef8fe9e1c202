// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/numerics/formats/format.h"
#include "sw/arrays/arrays.h"

namespace mxe::arrays {

/// Storage of element codes in a file.
enum class Packing {
  none,  ///< one code per byte
  low,   ///< first code in the low bits: two 4-bit codes per byte, four 6-bit codes in three bytes
  high,  ///< 4-bit formats only: first code in the high nibble
};

void check_packing(const numerics::ElementFormat& format, Packing packing);

/// Packs codes along the last axis. Unused bits of a row's last byte are 0.
Array<uint8_t> pack(const numerics::ElementFormat& format, Packing packing,
                    const Array<uint8_t>& codes);

/// The inverse of pack(). `last`: length of the last axis; default: all elements in the bytes.
Array<uint8_t> unpack(const numerics::ElementFormat& format, Packing packing,
                      const Array<uint8_t>& packed, const std::optional<std::size_t>& last);

/// Reorders scales [rows..., blocks] into the layout of cuBLAS and tcgen05, as one axis of bytes.
Array<uint8_t> swizzle(const Array<uint8_t>& scales);

/// The inverse of swizzle(), for scales of `shape`. Throws Error with `name` for a wrong number of
/// bytes.
Array<uint8_t> unswizzle(const Array<uint8_t>& bytes, const std::vector<std::size_t>& shape,
                         const std::string& name);

}  // namespace mxe::arrays
