// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/layout.h"

#include <fmt/format.h>

#include "model/numerics/base/error.h"

namespace mxe::numerics {
namespace {

void swap_nibbles(std::vector<uint8_t>& bytes) {
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((byte << 4) | (byte >> 4));
}

constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileColumns = 4;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Index of scale (row, column) in a matrix that is `tiles` tiles wide.
std::size_t swizzled_index(std::size_t row, std::size_t column, std::size_t tiles) {
  const std::size_t tile = row / kTileRows * tiles + column / kTileColumns;
  const std::size_t in_tile = row % 32 * 16 + row % kTileRows / 32 * 4 + column % kTileColumns;
  return tile * kTileRows * kTileColumns + in_tile;
}

}  // namespace

std::size_t packed_bytes(std::size_t columns, int bits) {
  const auto width = static_cast<std::size_t>(bits);
  return columns / 8 * width + (columns % 8 * width + 7) / 8;  // 8 codes fill `width` bytes
}

void require_packing(int bits, NibbleOrder order) {
  if (bits < 1 || bits > 8) {
    throw Error(
        fmt::format("packing is for formats of at least 1 and at most 8 bits, not {}", bits));
  }
  if (order == NibbleOrder::high && bits != 4) {
    throw Error(fmt::format(
        "packing that begins in the high nibble is for 4-bit formats, not {} bits (allowed: low)",
        bits));
  }
}

std::size_t unpacked_length(std::size_t bytes, int bits, std::optional<std::size_t> length) {
  const std::size_t count = length.value_or(bytes * 8 / static_cast<std::size_t>(bits));
  if (count <= bytes * 8 && packed_bytes(count, bits) == bytes) return count;
  throw Error(fmt::format("{} elements of {} bits do not pack into {} bytes", count, bits, bytes));
}

std::vector<uint8_t> pack_codes(const uint8_t* codes, std::size_t rows, std::size_t columns,
                                int bits, NibbleOrder order) {
  require_packing(bits, order);
  if (columns == 0) return {};  // `rows` is unbounded here: skip the loop
  const uint32_t mask = (1u << bits) - 1;
  const unsigned width = static_cast<unsigned>(bits);
  std::vector<uint8_t> packed;
  packed.reserve(rows * packed_bytes(columns, bits));
  for (std::size_t row = 0; row < rows; row++) {
    uint32_t pending = 0;
    unsigned filled = 0;
    for (std::size_t i = 0; i < columns; i++) {
      pending |= (codes[row * columns + i] & mask) << filled;
      for (filled += width; filled >= 8; filled -= 8, pending >>= 8) {
        packed.push_back(static_cast<uint8_t>(pending));
      }
    }
    if (filled > 0) packed.push_back(static_cast<uint8_t>(pending));
  }
  if (order == NibbleOrder::high) swap_nibbles(packed);
  return packed;
}

std::vector<uint8_t> unpack_codes(const uint8_t* packed, std::size_t rows, std::size_t columns,
                                  int bits, NibbleOrder order, std::size_t row_stride) {
  require_packing(bits, order);
  if (columns == 0) return {};
  const uint32_t mask = (1u << bits) - 1;
  const unsigned width = static_cast<unsigned>(bits);
  std::vector<uint8_t> codes;
  codes.reserve(rows * columns);
  for (std::size_t row = 0; row < rows; row++) {
    const uint8_t* next = packed + row * row_stride;
    uint32_t pending = 0;
    unsigned filled = 0;
    for (std::size_t i = 0; i < columns; i++) {
      if (filled < width) {
        uint8_t byte = *next++;
        if (order == NibbleOrder::high) byte = static_cast<uint8_t>((byte << 4) | (byte >> 4));
        pending |= static_cast<uint32_t>(byte) << filled;
        filled += 8;
      }
      codes.push_back(static_cast<uint8_t>(pending & mask));
      pending >>= width;
      filled -= width;
    }
  }
  return codes;
}

void require_swizzle(bool has_codes, std::size_t scale_rank, std::size_t axis, std::size_t rank) {
  if (has_codes && scale_rank == rank && axis + 1 == rank) return;
  throw Error("swizzling needs scale codes of blocks along the last axis");
}

std::size_t swizzled_size(std::size_t rows, std::size_t columns) {
  return round_up(rows, kTileRows) * round_up(columns, kTileColumns);
}

std::vector<uint8_t> swizzle_scales(const uint8_t* scales, std::size_t rows, std::size_t columns) {
  if (columns == 0) return {};
  const std::size_t padded = round_up(columns, kTileColumns);
  std::vector<uint8_t> result(swizzled_size(rows, columns));
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t column = 0; column < columns; column++) {
      result[swizzled_index(row, column, padded / kTileColumns)] = scales[row * columns + column];
    }
  }
  return result;
}

std::vector<uint8_t> unswizzle_scales(const uint8_t* swizzled, std::size_t rows,
                                      std::size_t columns) {
  if (columns == 0) return {};
  const std::size_t tiles = round_up(columns, kTileColumns) / kTileColumns;
  std::vector<uint8_t> result(rows * columns);
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t column = 0; column < columns; column++) {
      result[row * columns + column] = swizzled[swizzled_index(row, column, tiles)];
    }
  }
  return result;
}

}  // namespace mxe::numerics
