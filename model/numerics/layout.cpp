#include "numerics/layout.h"

#include <fmt/format.h>

#include "numerics/error.h"

namespace mx {
namespace {

void check_order(int bits, NibbleOrder order) {
  if (order == NibbleOrder::high && bits != 4) {
    throw Error(fmt::format("high-nibble packing needs 4-bit elements, these have {}", bits));
  }
}

void swap_nibbles(std::vector<uint8_t>* bytes) {
  for (uint8_t& byte : *bytes) byte = static_cast<uint8_t>((byte << 4) | (byte >> 4));
}

constexpr size_t kTileRows = 128;
constexpr size_t kTileColumns = 4;

size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Position of scale (row, column) of a matrix of `tiles` tile columns.
size_t swizzled_index(size_t row, size_t column, size_t tiles) {
  const size_t tile = row / kTileRows * tiles + column / kTileColumns;
  const size_t in_tile = row % 32 * 16 + row % kTileRows / 32 * 4 + column % kTileColumns;
  return tile * kTileRows * kTileColumns + in_tile;
}

}  // namespace

std::vector<uint8_t> pack_codes(const uint8_t* codes, size_t rows, size_t columns, int bits,
                                NibbleOrder order) {
  check_order(bits, order);
  const uint32_t mask = (1u << bits) - 1;
  const unsigned width = static_cast<unsigned>(bits);
  std::vector<uint8_t> packed;
  packed.reserve(rows * ((columns * width + 7) / 8));
  for (size_t row = 0; row < rows; ++row) {
    uint32_t pending = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < columns; ++i) {
      pending |= (codes[row * columns + i] & mask) << filled;
      for (filled += width; filled >= 8; filled -= 8, pending >>= 8) {
        packed.push_back(static_cast<uint8_t>(pending));
      }
    }
    if (filled > 0) packed.push_back(static_cast<uint8_t>(pending));
  }
  if (order == NibbleOrder::high) swap_nibbles(&packed);
  return packed;
}

std::vector<uint8_t> unpack_codes(const uint8_t* packed, size_t rows, size_t columns, int bits,
                                  NibbleOrder order, size_t row_stride) {
  check_order(bits, order);
  const uint32_t mask = (1u << bits) - 1;
  const unsigned width = static_cast<unsigned>(bits);
  std::vector<uint8_t> codes;
  codes.reserve(rows * columns);
  for (size_t row = 0; row < rows; ++row) {
    const uint8_t* next = packed + row * row_stride;
    uint32_t pending = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < columns; ++i) {
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

std::vector<uint8_t> swizzle_scales(const uint8_t* scales, size_t rows, size_t columns) {
  const size_t padded = round_up(columns, kTileColumns);
  std::vector<uint8_t> result(round_up(rows, kTileRows) * padded);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      result[swizzled_index(row, column, padded / kTileColumns)] = scales[row * columns + column];
    }
  }
  return result;
}

std::vector<uint8_t> unswizzle_scales(const uint8_t* swizzled, size_t rows, size_t columns) {
  const size_t tiles = round_up(columns, kTileColumns) / kTileColumns;
  std::vector<uint8_t> result(rows * columns);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      result[row * columns + column] = swizzled[swizzled_index(row, column, tiles)];
    }
  }
  return result;
}

}  // namespace mx
