// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"

namespace mxe::numerics {
namespace {

void swap_nibbles(std::vector<uint8_t>& bytes) {
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((byte << 4) | (byte >> 4));
}

// `mask` in each of the lanes of `width` bits: (3, 16) -> 0x0003000300030003.
constexpr uint64_t in_lanes(uint64_t mask, unsigned width) {
  uint64_t all = 0;
  for (unsigned at = 0; at < 64; at += width) all |= mask << at;
  return all;
}

// Eight codes of `Bits` bits, one a byte or adjacent in the low bits of a word.
template <unsigned Bits>
struct EightCodes {
  // Joins both halves of each lane of `width` bits, which hold `width / 16 * Bits` bits each.
  template <unsigned Width>
  static constexpr uint64_t join(uint64_t word) {
    constexpr unsigned kHalf = Width / 2, kUsed = Width / 16 * Bits;
    constexpr uint64_t kLow = in_lanes((uint64_t{1} << kUsed) - 1, Width);
    return (word & kLow) | ((word & (kLow << kHalf)) >> (kHalf - kUsed));
  }
  template <unsigned Width>
  static constexpr uint64_t split(uint64_t word) {
    constexpr unsigned kHalf = Width / 2, kUsed = Width / 16 * Bits;
    constexpr uint64_t kLow = in_lanes((uint64_t{1} << kUsed) - 1, Width);
    return (word & kLow) | ((word & (kLow << kUsed)) << (kHalf - kUsed));
  }

  static void pack(const uint8_t* codes, uint8_t* packed) {
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) word |= uint64_t{codes[i]} << 8 * i;
    word = join<64>(join<32>(join<16>(word)));
    for (unsigned i = 0; i < Bits; i++) packed[i] = static_cast<uint8_t>(word >> 8 * i);
  }
  static void unpack(const uint8_t* packed, uint8_t* codes) {
    uint64_t word = 0;
    for (unsigned i = 0; i < Bits; i++) word |= uint64_t{packed[i]} << 8 * i;
    word = split<16>(split<32>(split<64>(word)));
    for (unsigned i = 0; i < 8; i++) codes[i] = static_cast<uint8_t>(word >> 8 * i);
  }
};

template <unsigned Bits>
void pack_eights(const uint8_t* codes, std::size_t eights, uint8_t* packed) {
  if (Bits == 8) {
    std::copy_n(codes, 8 * eights, packed);
    return;
  }
  for (std::size_t i = 0; i < eights; i++) EightCodes<Bits>::pack(codes + 8 * i, packed + Bits * i);
}

template <unsigned Bits>
void unpack_eights(const uint8_t* packed, std::size_t eights, uint8_t* codes) {
  if (Bits == 8) {
    std::copy_n(packed, 8 * eights, codes);
    return;
  }
  for (std::size_t i = 0; i < eights; i++) {
    EightCodes<Bits>::unpack(packed + Bits * i, codes + 8 * i);
  }
}

using EightsFunction = void (*)(const uint8_t* from, std::size_t eights, uint8_t* to);
constexpr EightsFunction kPackEights[] = {nullptr,        pack_eights<1>, pack_eights<2>,
                                          pack_eights<3>, pack_eights<4>, pack_eights<5>,
                                          pack_eights<6>, pack_eights<7>, pack_eights<8>};
constexpr EightsFunction kUnpackEights[] = {nullptr,          unpack_eights<1>, unpack_eights<2>,
                                            unpack_eights<3>, unpack_eights<4>, unpack_eights<5>,
                                            unpack_eights<6>, unpack_eights<7>, unpack_eights<8>};

// Packs fewer than eight codes from a byte boundary on.
void pack_last(const uint8_t* codes, std::size_t count, unsigned bits, uint8_t* packed) {
  uint64_t word = 0;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (std::size_t i = 0; i < count; i++) word |= (codes[i] & mask) << bits * i;
  for (std::size_t i = 0; i < packed_bytes(count, static_cast<int>(bits)); i++) {
    packed[i] = static_cast<uint8_t>(word >> 8 * i);
  }
}

void unpack_last(const uint8_t* packed, std::size_t count, unsigned bits, uint8_t* codes) {
  uint64_t word = 0;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (std::size_t i = 0; i < packed_bytes(count, static_cast<int>(bits)); i++) {
    word |= uint64_t{packed[i]} << 8 * i;
  }
  for (std::size_t i = 0; i < count; i++) codes[i] = static_cast<uint8_t>(word >> bits * i & mask);
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
  const unsigned width = static_cast<unsigned>(bits);
  const std::size_t row_bytes = packed_bytes(columns, bits), eights = columns / 8;
  std::vector<uint8_t> packed(rows * row_bytes);
  for (std::size_t row = 0; row < rows; row++) {
    const uint8_t* from = codes + row * columns;
    uint8_t* to = packed.data() + row * row_bytes;
    kPackEights[width](from, eights, to);
    pack_last(from + eights * 8, columns % 8, width, to + eights * width);
  }
  if (order == NibbleOrder::high) swap_nibbles(packed);
  return packed;
}

std::vector<uint8_t> unpack_codes(const uint8_t* packed, std::size_t rows, std::size_t columns,
                                  int bits, NibbleOrder order, std::size_t row_stride) {
  require_packing(bits, order);
  if (columns == 0) return {};
  const unsigned width = static_cast<unsigned>(bits);
  const std::size_t row_bytes = packed_bytes(columns, bits), eights = columns / 8;
  std::vector<uint8_t> codes(rows * columns);
  std::vector<uint8_t> swapped;
  for (std::size_t row = 0; row < rows; row++) {
    const uint8_t* from = packed + row * row_stride;
    if (order == NibbleOrder::high) {
      swapped.assign(from, from + row_bytes);
      swap_nibbles(swapped);
      from = swapped.data();
    }
    uint8_t* to = codes.data() + row * columns;
    kUnpackEights[width](from, eights, to);
    unpack_last(from + eights * width, columns % 8, width, to + eights * 8);
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
