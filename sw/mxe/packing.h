// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/numerics/format.h"
#include "sw/mxe/arrays.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// How element codes are stored in a file: one a byte, or packed along the last axis.
enum class Packing {
  none,  ///< one code a byte
  low,  ///< little endian in bit order: two 4-bit codes a byte, the first one in the low nibble, or
        ///< four 6-bit codes in three bytes
  high,  ///< 4 bit only: the first element in the high nibble
};

/// Adds `--pack none|low|high`.
void add_packing_option(CLI::App& command, Packing& packing);

/// Throws mx::Error unless codes of `format` can be packed like this.
void check_packing(const mx::ElementFormat& format, Packing packing);

/// Packs codes, one a byte, along the last axis. Unused bits of the last byte are 0.
Array<uint8_t> pack(const mx::ElementFormat& format, Packing packing, const Array<uint8_t>& codes);

/// The inverse. `last` is the length of the last axis; default: as many elements as the bytes hold.
Array<uint8_t> unpack(const mx::ElementFormat& format, Packing packing,
                      const Array<uint8_t>& packed, const std::optional<std::size_t>& last);

/// Adds `--swizzle 32x4x4`.
void add_swizzle_option(CLI::App& command, bool& swizzled);

/// Scales [rows..., blocks] in the layout of cuBLAS and tcgen05, as one row of bytes: what comes
/// before the last axis counts as rows.
Array<uint8_t> swizzle(const Array<uint8_t>& scales);

/// The inverse, for scales of this shape. Throws mx::Error unless the bytes are as many as those
/// have; `name` says where they come from.
Array<uint8_t> unswizzle(const Array<uint8_t>& bytes, const std::vector<std::size_t>& shape,
                         const std::string& name);

}  // namespace mxe::cli
