// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/parallel.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/kernels/block_kernels.h"
#include "model/numerics/kernels/pack_kernels.h"

namespace mxe::numerics {
namespace {

constexpr uint64_t kMaxWord = 32767;

bool has_bytes(GemmPath path) { return path == GemmPath::bytes || path == GemmPath::scaled_bytes; }

uint64_t largest_integer(FormatId format) { return element_shape(format).largest_integer(); }

bool fits_byte(FormatId format) { return largest_integer(format) <= 128; }

// Largest sum of two byte products, which one instruction computes. A with its offset is at most
// twice its largest integer (255 for mxint8).
uint64_t largest_byte_sum(FormatId a, FormatId b) {
  return 2 * std::min<uint64_t>(2 * largest_integer(a), 255) * largest_integer(b);
}

// Largest |exponent| of a scale in the float32 kernels; other blocks are scalar. Within this range
// the product of two scales and both lsb is a normal float32.
int fast_scale_range(FormatId a, FormatId b) {
  constexpr int kMostExponent = 57;
  return std::min(kMostExponent,
                  (126 + element_shape(a).lsb_exponent + element_shape(b).lsb_exponent) / 2);
}

// Finds blocks that are scalar because of their scale or a NaN or infinite element.
class ScalarBlocks {
 public:
  ScalarBlocks(const MxTensor& tensor, FormatId other, GemmPath path)
      : tensor_(tensor),
        format_(element_shape(tensor.format)),
        range_(path == GemmPath::words_double ? kScaleBias
                                              : fast_scale_range(tensor.format, other)) {}

  bool operator()(std::size_t row, std::size_t block) const { return any(row, block, 1); }

  bool any(std::size_t row, std::size_t first, std::size_t blocks) const {
    const uint8_t* scales = &tensor_.scales[row * tensor_.scale_columns() + first];
    const auto [least, most] = std::minmax_element(scales, scales + blocks);
    if (*least < kScaleBias - range_ || *most > kScaleBias + range_) return true;
    return format_.has_nan && has_specials(row, first, blocks);
  }

 private:
  bool has_specials(std::size_t row, std::size_t first, std::size_t blocks) const {
    const auto mask = static_cast<uint8_t>(format_.sign_mask() - 1);
    const uint8_t* codes = tensor_.codes.data() + row * tensor_.k;
    uint8_t largest = 0;
    const std::size_t end = std::min(tensor_.k, (first + blocks) * kBlockSize);
    for (std::size_t k = first * kBlockSize; k < end; k++) {
      largest = std::max(largest, static_cast<uint8_t>(codes[k] & mask));
    }
    return largest > format_.max_code;
  }

  const MxTensor& tensor_;
  const ElementShape& format_;
  int range_;
};

// Exponent as an addend to the bits of a float32 or float64.
int32_t float_exponent(int exponent) { return static_cast<int32_t>(exponent * (1 << 23)); }
int64_t double_exponent(int exponent) { return exponent * (int64_t{1} << 52); }

// Most bits of a remainder below a word's lsb: sums then have 32 + 2 * 8 = 48 bits (float64: 53).
constexpr int kRemainderBits = 8;

constexpr std::size_t kStretchBlocks = 8;
// Elements per row of the buffer: 64 extra, so that rows do not map to the same cache set.
constexpr std::size_t kRowSize = kStretchBlocks * kBlockSize + 64;

// Value of each UE4M3 code and the inverse of its last bit, as float32. The inverse is 0 for zero.
struct ScaleTables {
  std::array<float, 256> value, inverse_lsb;

  ScaleTables() {
    for (unsigned code = 0; code < 256; code++) {
      const ScaleNumber scale = scale_number(ScaleKind::ue4m3, static_cast<uint8_t>(code));
      const auto unit = static_cast<float>(pow2(scale.exponent));
      const auto significand = static_cast<float>(scale.significand);
      value[code] = scale.is_nan ? from_bits(kQuietNan) : significand * unit;
      const auto lowest = static_cast<float>(scale.significand & -scale.significand);
      inverse_lsb[code] = lowest == 0 ? 0 : 1 / (lowest * unit);
    }
  }
};

const ScaleTables& scale_tables() {
  static const ScaleTables tables;
  return tables;
}

struct Role {
  FormatId other;
  int exponent;       // added to the exponents of the scales
  int idle_exponent;  // replaces scales of padding and scalar blocks
  int byte_offset;
  int byte_correction;  // the factor of `correction`; 0: no correction
  float factor = 1;     // of the scales of scaled_bytes
};

template <std::size_t Rows>
class Packer {
 public:
  Packer(const MxTensor& tensor, GemmPath path, const Role& role, const PackOptions& options)
      : tensor_(tensor),
        role_(role),
        options_(options),
        kernels_(pack_kernels(options.level)),
        scalar_(tensor, role.other, path) {
    packed_.path = path;
    packed_.rows = Rows;
    packed_.tiles = (tensor.rows + Rows - 1) / Rows;
    packed_.blocks = (tensor.k + kBlockSize - 1) / kBlockSize;
    if (path == GemmPath::scaled_bytes) {
      packed_.step_blocks = options.step_blocks;
      packed_.blocks += packed_.blocks % options.step_blocks;
    }
    const std::size_t blocks = packed_.tiles * packed_.blocks;
    const std::size_t count = blocks * Rows;
    packed_.scalar_rows.resize(blocks);
    packed_.remainders.resize(packed_.tiles);
    packed_.tile_has_scalar.resize(packed_.tiles);
    if (path == GemmPath::scaled_bytes) {
      packed_.bytes.resize(count * kBlockSize);
      if (role.byte_correction != 0) packed_.correction.resize(2 * count);
      packed_.factors.resize(2 * count, 0.0f);
      if (role.byte_correction == 0) {
        packed_.row_factors.resize(2 * count, 0);
        if (options.adds_bytes_in_words) packed_.units.resize(count, 0.0f);
      }

      packed_.spread.resize(blocks);
      return;
    }
    if (path == GemmPath::bytes) {
      packed_.bytes.resize(count * kBlockSize);
      if (checks_lanes()) packed_.fits.resize(blocks, 1);
      if (role.byte_correction != 0) packed_.correction.resize(count * corrections());
    } else {
      packed_.words.resize(count * kBlockSize);
    }
    if (path == GemmPath::words_double) {
      packed_.wide_scales.resize(count, double_exponent(role.idle_exponent));
      packed_.first_remainder.resize(packed_.tiles * (packed_.blocks + 1));
    } else {
      packed_.scales.resize(count, float_exponent(role.idle_exponent));
    }
  }

  PackedOperand pack() {
    parallel_ranges(packed_.tiles, options_.threads, [&](std::size_t first, std::size_t last) {
      has_bytes(packed_.path) ? byte_tiles(first, last) : word_tiles(first, last);
    });
    return std::move(packed_);
  }

 private:
  std::size_t used_rows(std::size_t tile) const {
    return std::min(Rows, tensor_.rows - tile * Rows);
  }

  // Some blocks of K of all rows of a tile; stays in the cache while it is packed.
  struct Stretch {
    std::size_t tile;
    std::size_t first;
    std::size_t blocks;  ///< at most kStretchBlocks
  };

  template <typename PackStretch>
  void each_stretch(std::size_t tile, PackStretch&& pack_stretch) {
    for (std::size_t first = 0; first < packed_.blocks; first += kStretchBlocks) {
      pack_stretch(Stretch{tile, first, std::min(kStretchBlocks, packed_.blocks - first)});
    }
  }

  // Decodes the codes of one row of a stretch; pads the last block with zeros.
  template <typename Kernel, typename Element>
  void decode(Kernel kernel, const Stretch& stretch, std::size_t r, Element* elements) const {
    const std::size_t from = stretch.first * kBlockSize;
    const std::size_t count = std::min(stretch.blocks * kBlockSize, tensor_.k - from);
    kernel(&tensor_.codes[(stretch.tile * Rows + r) * tensor_.k + from], count, elements);
    std::fill(elements + count, elements + stretch.blocks * kBlockSize, Element{0});
  }

  void byte_tiles(std::size_t first, std::size_t last) {
    const ByteKernel kernel = block_kernels(tensor_.format, options_.level).bytes;
    AlignedVector<int8_t> rows(Rows * kRowSize, 0);
    for (std::size_t tile = first; tile < last; tile++) {
      each_stretch(tile, [&](const Stretch& stretch) {
        for (std::size_t r = 0; r < used_rows(tile); r++) {
          int8_t* row = &rows[r * kRowSize];
          decode(kernel, stretch, r, row);
          if (packed_.path == GemmPath::scaled_bytes) {
            scale_row(stretch, r, row);
            continue;
          }
          finish_row(stretch, r, row);
          if (checks_lanes()) check_lanes(stretch, row);
        }
        uint8_t* to = packed_.bytes.data() + first_element(stretch);
        interleave(rows.data(), stretch, to);
        if (role_.byte_correction != 0) correct(stretch, to);
      });
    }
  }

  void word_tiles(std::size_t first, std::size_t last) {
    const BlockKernels kernels = block_kernels(tensor_.format, options_.level);
    AlignedVector<int16_t> rows(Rows * kRowSize, 0);
    AlignedVector<float> integers(kRowSize);
    for (std::size_t tile = first; tile < last; tile++) {
      each_stretch(tile, [&](const Stretch& stretch) {
        for (std::size_t r = 0; r < used_rows(tile); r++) {
          int16_t* row = &rows[r * kRowSize];
          if (packed_.path == GemmPath::words) {
            decode(kernels.words, stretch, r, row);
            finish_row(stretch, r, row);
          } else {
            decode(kernels.integers, stretch, r, integers.data());
            shorten_row(stretch, r, integers.data(), row);
          }
        }
        interleave(rows.data(), stretch, packed_.words.data() + first_element(stretch));
      });
      if (packed_.path == GemmPath::words_double) sort_remainders(tile);
    }
  }

  std::size_t first_element(const Stretch& stretch) const {
    return (stretch.tile * packed_.blocks + stretch.first) * Rows * kBlockSize;
  }

  template <typename Element, typename Packed>
  void interleave(const Element* rows, const Stretch& stretch, Packed* to) const {
    const TileRows from = {rows, kRowSize * sizeof(Element), stretch.blocks,
                           kBlockSize * sizeof(Element) / 4};
    auto* bytes = reinterpret_cast<uint8_t*>(to);
    const auto offset = static_cast<uint8_t>(role_.byte_offset);
    if constexpr (Rows == kLowTile) {
      kernels_.interleave4(from, offset, bytes);
    } else if constexpr (Rows == kHighTile) {
      kernels_.interleave6(from, offset, bytes);
    } else if constexpr (Rows == 16) {
      kernels_.interleave16(from, bytes);
    } else {
      kernels_.interleave32(from, bytes);
    }
  }

  void shorten_row(const Stretch& stretch, std::size_t row, const float* integers, int16_t* words) {
    const std::size_t tensor_row = stretch.tile * Rows + row;
    const bool some_scalar = scalar_.any(tensor_row, stretch.first, stretch.blocks);
    for (std::size_t i = 0; i < stretch.blocks; i++) {
      const std::size_t block = stretch.first + i;
      shorten_block(stretch.tile, row, block, some_scalar && scalar_(tensor_row, block),
                    integers + i * kBlockSize, words + i * kBlockSize);
    }
  }

  void shorten_block(std::size_t tile, std::size_t row, std::size_t block, bool scalar,
                     const float* integers, int16_t* words) {
    const auto [shift, lost] = kernels_.shorten(integers, words);
    std::vector<Remainder>& list = packed_.remainders[tile];
    const std::size_t before = list.size();
    bool fits = true;
    const auto scale = static_cast<float>(pow2(-shift));
    for (std::size_t i = 0; lost && i < kBlockSize; i++) {
      const float rest = integers[i] * scale - words[i];
      if (rest == 0) continue;
      list.push_back(
          {static_cast<uint32_t>(block), static_cast<uint8_t>(i), static_cast<uint8_t>(row), rest});
      const float scaled = rest * static_cast<float>(1 << kRemainderBits);
      fits = fits && scaled == std::trunc(scaled);
    }
    if (finish_block(tile, row, block, shift, scalar || !fits)) return;
    list.resize(before);
    std::fill_n(words, kBlockSize, int16_t{0});
  }

  void sort_remainders(std::size_t tile) {
    std::vector<Remainder>& list = packed_.remainders[tile];
    std::sort(list.begin(), list.end(),
              [](const Remainder& x, const Remainder& y) { return x.block < y.block; });
    uint32_t* first = &packed_.first_remainder[tile * (packed_.blocks + 1)];
    for (const Remainder& remainder : list) first[remainder.block + 1]++;
    for (std::size_t block = 0; block < packed_.blocks; block++) first[block + 1] += first[block];
  }

  // Stores the scales of a row of bytes or words and clears its scalar blocks.
  template <typename Element>
  void finish_row(const Stretch& stretch, std::size_t r, Element* elements) {
    const std::size_t row = stretch.tile * Rows + r;
    if (!scalar_.any(row, stretch.first, stretch.blocks)) {
      const uint8_t* scales = &tensor_.scales[row * packed_.blocks + stretch.first];
      int32_t* to = &packed_.scales[(stretch.tile * packed_.blocks + stretch.first) * Rows + r];
      const int bias = role_.exponent - kScaleBias;
      for (std::size_t i = 0; i < stretch.blocks; i++) {
        to[i * Rows] = float_exponent(scales[i] + bias);
      }
      return;
    }
    for (std::size_t i = 0; i < stretch.blocks; i++) {
      const std::size_t block = stretch.first + i;
      if (finish_block(stretch.tile, r, block, 0, scalar_(row, block))) continue;
      std::fill_n(elements + i * kBlockSize, kBlockSize, Element{0});
    }
  }

  // Stores the scales of a row of scaled bytes, and the spread of its steps.
  void scale_row(const Stretch& stretch, std::size_t r, const int8_t* elements) {
    std::array<uint16_t, 2 * kStretchBlocks> squares;
    kernels_.squares(elements, stretch.blocks, squares.data());
    for (std::size_t i = 0; i < stretch.blocks; i += packed_.step_blocks) {
      scale_step(stretch.tile, r, stretch.first + i, &squares[2 * i]);
    }
  }

  // `squares`: sums of squared elements of the step's scales.
  void scale_step(std::size_t tile, std::size_t r, std::size_t block, const uint16_t* squares) {
    const std::size_t row = tile * Rows + r;
    const std::size_t first = 2 * block;
    const std::size_t count = std::min(2 * packed_.step_blocks, tensor_.scale_columns() - first);
    const uint8_t* codes = &tensor_.scales[row * tensor_.scale_columns() + first];
    const std::size_t at = tile * packed_.blocks + block;
    float* to = &packed_.factors[2 * at * Rows + r];
    float length = 0;  // squared
    float inverse_lsb = 0;
    for (std::size_t i = 0; i < count; i++) {
      const float scale = tables_.value[codes[i]];
      to[i * Rows] = scale * role_.factor;
      length += static_cast<float>(squares[i]) * scale * scale;
      inverse_lsb = std::max(inverse_lsb, tables_.inverse_lsb[codes[i]]);
    }
    if (std::isnan(length)) {
      packed_.scalar_rows[at] |= uint32_t{1} << r;
      packed_.tile_has_scalar[tile] = 1;
      for (std::size_t i = 0; i < count; i++) to[i * Rows] = 0;
      return;
    }
    float spread = length * inverse_lsb * inverse_lsb;
    if (role_.byte_correction == 0 && !set_row_factors(at, r, count, to, inverse_lsb)) {
      spread = INFINITY;
    }
    packed_.spread[at] = std::max(packed_.spread[at], spread);
  }

  // Derives row_factors of the first `count` scales of a step from the inverse of their last bit.
  // Returns false if a scale in units of this bit exceeds 16 bits.
  bool set_row_factors(std::size_t at, std::size_t r, std::size_t count, const float* factors,
                       float inverse_lsb) {
    int32_t* to = &packed_.row_factors[2 * at * Rows + r];
    float most = 0;
    for (std::size_t i = 0; i < count; i++) {
      const float factor = factors[i * Rows];
      if (!options_.adds_bytes_in_words) {
        to[i * Rows] = static_cast<int32_t>(to_bits(-kSumOffset * factor));
        continue;
      }
      const float units = factor * inverse_lsb;
      most = std::max(most, units);
      to[i * Rows] = static_cast<int32_t>(std::min(units, 32767.0f)) * 0x10001;
    }
    if (options_.adds_bytes_in_words && most > 0) packed_.units[at * Rows + r] = 1 / inverse_lsb;
    return most <= 32767;
  }

  bool finish_block(std::size_t tile, std::size_t r, std::size_t block, int shift, bool scalar) {
    const std::size_t row = tile * Rows + r;
    const std::size_t at = tile * packed_.blocks + block;
    if (scalar) {
      packed_.scalar_rows[at] |= uint32_t{1} << r;
      packed_.tile_has_scalar[tile] = 1;
      return false;
    }
    const int scale = tensor_.scales[row * packed_.blocks + block] - kScaleBias;
    if (packed_.path == GemmPath::words_double) {
      packed_.wide_scales[at * Rows + r] = double_exponent(scale + shift + role_.exponent);
    } else {
      packed_.scales[at * Rows + r] = float_exponent(scale + role_.exponent);
    }
    return true;
  }

  bool checks_lanes() const {
    return options_.adds_bytes_in_words && byte_sums(tensor_.format, role_.other) < 8;
  }

  // By Cauchy-Schwarz, (sum of products)^2 <= (sum of squares of A) * (sum of squares of B). The
  // limit is divided between the operands in the ratio of their largest integers.
  void check_lanes(const Stretch& stretch, const int8_t* row) {
    const uint64_t limit =
        kMaxWord * largest_integer(tensor_.format) / largest_integer(role_.other);
    kernels_.check_lanes(row, stretch.blocks, static_cast<uint32_t>(limit / 8),
                         &packed_.fits[stretch.tile * packed_.blocks + stretch.first]);
  }

  // Number of corrections per block and row.
  std::size_t corrections() const {
    if (packed_.path == GemmPath::scaled_bytes) return kBlockSize / kScaledSize;
    if (!options_.adds_bytes_in_words) return 1;
    return kBlockSize / 4 / static_cast<std::size_t>(byte_sums(role_.other, tensor_.format));
  }

  void correct(const Stretch& stretch, const uint8_t* bytes) {
    const std::size_t parts = corrections();
    const std::size_t first = (stretch.tile * packed_.blocks + stretch.first) * parts;
    const CorrectionRule rule = {role_.byte_correction, kBlockSize / 4 / parts,
                                 options_.adds_bytes_in_words};
    int32_t* to = packed_.correction.data() + first * Rows;
    kernels_.correct(bytes, Rows, stretch.blocks * parts, rule, to);
    if (packed_.path != GemmPath::scaled_bytes || options_.adds_bytes_in_words) return;
    for (std::size_t i = 0; i < stretch.blocks * parts * Rows; i++) {
      to[i] += static_cast<int32_t>(to_bits(kSumOffset));
    }
  }

  const MxTensor& tensor_;
  const Role role_;
  const PackOptions& options_;
  const PackKernels& kernels_;
  const ScaleTables& tables_ = scale_tables();
  const ScalarBlocks scalar_;
  PackedOperand packed_;
};

GemmPath path_of(FormatId a, FormatId b, const PackOptions& options) {
  return options.step_blocks != 0 ? GemmPath::scaled_bytes
                                  : gemm_path(a, b, options.adds_bytes_in_words);
}

}  // namespace

GemmPath gemm_path(FormatId a, FormatId b, bool adds_bytes_in_words) {
  if (pair_tree_width(a, b) > 24) return GemmPath::words_double;
  if (!fits_byte(a) || !fits_byte(b)) return GemmPath::words;
  return adds_bytes_in_words && largest_byte_sum(a, b) > kMaxWord ? GemmPath::words
                                                                  : GemmPath::bytes;
}

int byte_sums(FormatId a, FormatId b) {
  const uint64_t product = 2 * largest_integer(a) * largest_integer(b);
  int sums = 8;
  while (sums > 1 && static_cast<uint64_t>(sums) * product > kMaxWord) sums /= 2;
  return sums;
}

std::size_t tile_rows(GemmPath path, std::size_t rows) {
  if (path == GemmPath::words_double) return kLowTile;
  const auto padded = [rows](std::size_t tile) { return (rows + tile - 1) / tile * tile; };
  return 5 * padded(kHighTile) <= 6 * padded(kLowTile) ? kHighTile : kLowTile;
}

PackedOperand pack_a(const MxTensor& a, FormatId format_b, const PackOptions& options) {
  const GemmPath path = path_of(a.format, format_b, options);
  const int bias = path == GemmPath::words_double ? 1023 : 127;
  const int offset = has_bytes(path) ? static_cast<int>(largest_integer(a.format)) : 0;
  const Role role = {format_b, bias, bias, offset, 0};
  if (tile_rows(path, a.rows) == kLowTile) return Packer<kLowTile>(a, path, role, options).pack();
  return Packer<kHighTile>(a, path, role, options).pack();
}

PackedOperand pack_b(const MxTensor& b, FormatId format_a, const PackOptions& options) {
  const GemmPath path = path_of(format_a, b.format, options);
  const int lsb = element_format(format_a).lsb_exponent + element_format(b.format).lsb_exponent;
  const int correction = has_bytes(path) ? -static_cast<int>(largest_integer(format_a)) : 0;
  const Role role = {format_a, lsb, 0, 0, correction, static_cast<float>(pow2(lsb))};
  if (options.columns == 16) return Packer<16>(b, path, role, options).pack();
  return Packer<32>(b, path, role, options).pack();
}

}  // namespace mxe::numerics
