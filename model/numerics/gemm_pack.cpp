// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "model/numerics/accumulate.h"
#include "model/numerics/bits.h"
#include "model/numerics/block_kernels.h"
#include "model/numerics/parallel.h"

namespace mx {
namespace {

constexpr uint64_t kMaxWord = 32767;

uint64_t largest_integer(FormatId format) { return element_shape(format).largest_integer(); }

bool fits_byte(FormatId format) { return largest_integer(format) <= 128; }

// The largest sum of two products of bytes, which is what one instruction adds. A with its offset
// is at most twice its largest integer (255 for mxint8).
uint64_t largest_byte_sum(FormatId a, FormatId b) {
  return 2 * std::min<uint64_t>(2 * largest_integer(a), 255) * largest_integer(b);
}

// Scales further than this from 2^0 are left to the scalar path of the float32 kernels: within, the
// product of two scales and both lsb is a normal float32.
int fast_scale_range(FormatId a, FormatId b) {
  constexpr int kMost = 57;
  return std::min(kMost, (126 + element_shape(a).lsb_exponent + element_shape(b).lsb_exponent) / 2);
}

// Elements of a row in the units of the format's last bit, padded with zeros to whole blocks. As
// float32 they are exact; special codes give any value.
class RowIntegers {
 public:
  RowIntegers(const MxTensor& tensor, SimdLevel level)
      : tensor_(tensor), kernel_(block_kernels(tensor.format, level).integers) {
    const std::size_t padded = tensor.scale_columns() * kBlockSize;
    values_.resize(padded);
    if (kernel_) integers_.resize(padded);
    std::transform(integer_table(tensor.format).begin(), integer_table(tensor.format).end(),
                   table_.begin(), [](int64_t integer) { return static_cast<float>(integer); });
  }

  // For formats whose integers fit words.
  void decode_words(std::size_t row, int16_t* words) {
    kernel_(tensor_.codes.data() + row * tensor_.k, tensor_.k, integers_.data());
    for (std::size_t i = 0; i < tensor_.k; i++) words[i] = static_cast<int16_t>(integers_[i]);
  }

  const float* decode(std::size_t row) {
    const uint8_t* codes = tensor_.codes.data() + row * tensor_.k;
    if (kernel_) {
      kernel_(codes, tensor_.k, integers_.data());
      for (std::size_t i = 0; i < tensor_.k; i++) values_[i] = static_cast<float>(integers_[i]);
    } else {
      for (std::size_t i = 0; i < tensor_.k; i++) values_[i] = table_[codes[i]];
    }
    return values_.data();
  }

 private:
  const MxTensor& tensor_;
  IntegerKernel kernel_;  // null for formats of which a table is at hand (E5M2)
  std::array<float, 256> table_{};
  std::vector<int32_t> integers_;
  std::vector<float> values_;
};

// Tells which blocks must take the scalar path whatever their elements' sizes.
class ScalarBlocks {
 public:
  ScalarBlocks(const MxTensor& tensor, FormatId other, GemmPath path)
      : tensor_(tensor),
        format_(element_shape(tensor.format)),
        range_(path == GemmPath::words_double ? kScaleBias
                                              : fast_scale_range(tensor.format, other)) {}

  bool operator()(std::size_t row, std::size_t block) const {
    const uint8_t scale = tensor_.scales[row * tensor_.scale_columns() + block];
    if (scale == kNanScale || std::abs(scale - kScaleBias) > range_) return true;
    return format_.has_nan && has_specials(row, block);
  }

 private:
  bool has_specials(std::size_t row, std::size_t block) const {
    const auto mask = static_cast<uint8_t>(format_.sign_mask() - 1);
    const uint8_t* codes = tensor_.codes.data() + row * tensor_.k;
    uint8_t largest = 0;
    const std::size_t end = std::min(tensor_.k, (block + 1) * kBlockSize);
    for (std::size_t k = block * kBlockSize; k < end; k++) {
      largest = std::max(largest, static_cast<uint8_t>(codes[k] & mask));
    }
    return largest > format_.max_code;
  }

  const MxTensor& tensor_;
  const ElementShape& format_;
  int range_;
};

// Bits that stand for 2^exponent, or change a power of two by it.
int32_t float_exponent(int exponent) { return static_cast<int32_t>(exponent * (1 << 23)); }
int64_t double_exponent(int exponent) { return exponent * (int64_t{1} << 52); }

// Sums of products of two blocks fit 32 bits if the squares of each sum up to less than 2^31; a
// little less here because they are summed in float32.
constexpr float kSquaresLimit = 2147483648.0f * (1.0f - 1.0f / 4096);

// Bits that the elements of a block may have below the last of their words: sums of two blocks have
// twice as many beside 32, which leaves room for an accumulator in a double.
constexpr int kRemainderBits = 8;

// Compilers do not vectorize what this adds up in the order of its elements.
using FourFloats = float __attribute__((vector_size(16)));

// The power of two by which to divide a block so that it fits words and sums of 32 bits.
int choose_shift(const float* integers) {
  FourFloats sums = {};
  FourFloats most = {};
  for (std::size_t i = 0; i < kBlockSize; i += 4) {
    FourFloats x;
    std::memcpy(&x, integers + i, sizeof x);
    x *= x;
    sums += x;
    most = most < x ? x : most;
  }
  const float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const float square = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  // 2^31 is twice the square of 2^15, the limit of a word.
  const float ratio = std::max(sum, 2 * square) / kSquaresLimit;
  return ratio <= 1 ? 0 : (static_cast<int>(to_bits(ratio) >> 23) - 127 + 2) / 2;
}

// 2^exponent, a normal float32.
float power(int exponent) { return from_bits(static_cast<uint32_t>(exponent + 127) << 23); }

// Divides a block by 2^shift, rounding toward zero; returns whether bits are lost.
bool to_words(const float* integers, int shift, int16_t* words) {
  const float scale = power(-shift);
  uint32_t lost = 0;
  for (std::size_t i = 0; i < kBlockSize; i++) {
    const float exact = integers[i] * scale;
    const auto word = static_cast<int32_t>(exact);
    words[i] = static_cast<int16_t>(word);
    lost |= to_bits(exact - static_cast<float>(word));
  }
  return lost << 1 != 0;
}

// Rows of a tile, `row_size` apart, to [blocks][steps][rows] units of four bytes.
template <std::size_t Rows, typename From, typename To>
void interleave(const From* rows, std::size_t row_size, std::size_t blocks, To* to) {
  static_assert(sizeof(From) == sizeof(To));
  constexpr std::size_t kUnit = 4 / sizeof(From);
  const std::size_t count = blocks * kBlockSize;
  for (std::size_t k = 0; k < count; k += kUnit, to += Rows * kUnit) {
    for (std::size_t row = 0; row < Rows; row++) {
      std::memcpy(to + row * kUnit, rows + row * row_size + k, 4);
    }
  }
}

// What the packing of A and of B differ in.
struct Role {
  FormatId other;       // the other operand's format
  int exponent;         // of two: added to those of the scales
  int idle_exponent;    // stands in the place of scales that are not used
  int byte_offset;      // added to bytes
  int byte_correction;  // the factor of `correction`; 0: there is none
};

template <std::size_t Rows>  // a tile
class Packer {
 public:
  Packer(const MxTensor& tensor, GemmPath path, const Role& role, const PackOptions& options)
      : tensor_(tensor), role_(role), options_(options), scalar_(tensor, role.other, path) {
    packed_.path = path;
    packed_.rows = Rows;
    packed_.tiles = (tensor.rows + Rows - 1) / Rows;
    packed_.blocks = tensor.scale_columns();
    const std::size_t blocks = packed_.tiles * packed_.blocks;
    const std::size_t count = blocks * Rows;
    packed_.scalar_rows.resize(blocks);
    packed_.remainders.resize(packed_.tiles);
    packed_.tile_has_scalar.resize(packed_.tiles);
    if (path == GemmPath::bytes) {
      packed_.bytes.resize(count * kBlockSize);
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
      packed_.path == GemmPath::bytes ? byte_tiles(first, last) : word_tiles(first, last);
    });
    return std::move(packed_);
  }

 private:
  // Of a row in the buffer; a cache line more than it needs, lest the rows of a tile fall into one
  // set of the cache where K is a power of two.
  std::size_t row_size() const { return packed_.blocks * kBlockSize + 64; }
  std::size_t used_rows(std::size_t tile) const {
    return std::min(Rows, tensor_.rows - tile * Rows);
  }
  std::size_t tile_size() const { return packed_.blocks * Rows * kBlockSize; }

  void byte_tiles(std::size_t first, std::size_t last) {
    const ByteKernel kernel = block_kernels(tensor_.format, options_.level).bytes;
    std::vector<int8_t> rows(Rows * row_size());  // [rows][blocks][32]
    for (std::size_t tile = first; tile < last; tile++) {
      for (std::size_t r = 0; r < used_rows(tile); r++) {
        int8_t* row = &rows[r * row_size()];
        kernel(&tensor_.codes[(tile * Rows + r) * tensor_.k], tensor_.k, row);
        finish_row(tile, r, row);
      }
      uint8_t* to = packed_.bytes.data() + tile * tile_size();
      interleave<Rows>(rows.data(), row_size(), packed_.blocks, to);
      if (role_.byte_correction != 0) correct(tile);
      const std::size_t size = role_.byte_offset == 0 ? 0 : tile_size();
      std::transform(to, to + size, to, [offset = role_.byte_offset](uint8_t byte) {
        return static_cast<uint8_t>(byte + offset);
      });
    }
  }

  void word_tiles(std::size_t first, std::size_t last) {
    std::vector<int16_t> rows(Rows * row_size());  // [rows][blocks][32]
    RowIntegers integers(tensor_, options_.level);
    for (std::size_t tile = first; tile < last; tile++) {
      for (std::size_t r = 0; r < used_rows(tile); r++) {
        int16_t* row = &rows[r * row_size()];
        if (packed_.path == GemmPath::words) {
          integers.decode_words(tile * Rows + r, row);
          finish_row(tile, r, row);
          continue;
        }
        const float* exact = integers.decode(tile * Rows + r);
        for (std::size_t block = 0; block < packed_.blocks; block++) {
          pack_words(tile, r, block, exact + block * kBlockSize, row + block * kBlockSize);
        }
      }
      interleave<Rows>(rows.data(), row_size(), packed_.blocks,
                       packed_.words.data() + tile * tile_size());
      if (packed_.path == GemmPath::words_double) sort_remainders(tile);
    }
  }

  void pack_words(std::size_t tile, std::size_t row, std::size_t block, const float* integers,
                  int16_t* words) {
    const int shift = choose_shift(integers);
    const bool lost = to_words(integers, shift, words);
    std::vector<Remainder>& list = packed_.remainders[tile];
    const std::size_t before = list.size();
    bool fits = true;
    for (std::size_t i = 0; lost && i < kBlockSize; i++) {
      const float rest = integers[i] * power(-shift) - words[i];
      if (rest == 0) continue;
      list.push_back(
          {static_cast<uint32_t>(block), static_cast<uint8_t>(i), static_cast<uint8_t>(row), rest});
      const float scaled = rest * power(kRemainderBits);
      fits = fits && scaled == std::trunc(scaled);
    }
    if (finish_block(tile, row, block, shift, fits)) return;
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

  // Stores the scales of a row of bytes or words and wipes out its scalar blocks.
  template <typename Element>
  void finish_row(std::size_t tile, std::size_t r, Element* elements) {
    for (std::size_t block = 0; block < packed_.blocks; block++) {
      if (finish_block(tile, r, block, 0)) continue;
      std::fill_n(elements + block * kBlockSize, kBlockSize, Element{0});
    }
  }

  // Stores a block's scale; returns whether the kernels multiply the block.
  bool finish_block(std::size_t tile, std::size_t r, std::size_t block, int shift,
                    bool fits = true) {
    const std::size_t row = tile * Rows + r;
    const std::size_t at = tile * packed_.blocks + block;
    if (!fits || scalar_(row, block)) {
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

  // Parts of a block that kernels correct one by one.
  std::size_t corrections() const {
    if (!options_.adds_bytes_in_words) return 1;
    return kBlockSize / 4 / static_cast<std::size_t>(byte_sums(role_.other, tensor_.format));
  }

  // From the sums of a tile's blocks, four bytes a row at a time: as unsigned numbers, eight of
  // which fit 16 bits, in two pairs a word.
  void correct(std::size_t tile) {
    constexpr uint32_t kPairs = 0x00FF00FF;
    const std::size_t parts = packed_.blocks * corrections();
    const std::size_t units = kBlockSize / 4 / corrections();
    const auto bias = static_cast<int32_t>(128 * 2 * units);
    const uint8_t* from = packed_.bytes.data() + tile * tile_size();
    int32_t* to = packed_.correction.data() + tile * parts * Rows;
    for (std::size_t part = 0; part < parts; part++, to += Rows) {
      uint32_t sums[Rows] = {};
      for (std::size_t i = 0; i < units; i++, from += 4 * Rows) {
        uint32_t unit[Rows];
        std::memcpy(unit, from, sizeof unit);
        for (std::size_t row = 0; row < Rows; row++) {
          const uint32_t word = unit[row] ^ 0x80808080;
          sums[row] += (word & kPairs) + (word >> 8 & kPairs);
        }
      }
      for (std::size_t row = 0; row < Rows; row++) {
        const int32_t low = static_cast<int32_t>(sums[row] & 0xFFFF) - bias;
        const int32_t high = static_cast<int32_t>(sums[row] >> 16) - bias;
        to[row] = options_.adds_bytes_in_words
                      ? ((low * role_.byte_correction) & 0xFFFF) |
                            static_cast<int32_t>(static_cast<uint32_t>(high * role_.byte_correction)
                                                 << 16)
                      : (low + high) * role_.byte_correction;
      }
    }
  }

  const MxTensor& tensor_;
  const Role role_;
  const PackOptions& options_;
  const ScalarBlocks scalar_;
  PackedOperand packed_;
};

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

PackedOperand pack_a(const MxTensor& a, FormatId format_b, const PackOptions& options) {
  const GemmPath path = gemm_path(a.format, format_b, options.adds_bytes_in_words);
  const int bias = path == GemmPath::words_double ? 1023 : 127;
  const int offset = path == GemmPath::bytes ? static_cast<int>(largest_integer(a.format)) : 0;
  return Packer<kTileRows>(a, path, {format_b, bias, bias, offset, 0}, options).pack();
}

PackedOperand pack_b(const MxTensor& b, FormatId format_a, const PackOptions& options) {
  const GemmPath path = gemm_path(format_a, b.format, options.adds_bytes_in_words);
  const int lsb = element_format(format_a).lsb_exponent + element_format(b.format).lsb_exponent;
  const int correction = path == GemmPath::bytes ? -static_cast<int>(largest_integer(format_a)) : 0;
  const Role role = {format_a, lsb, 0, 0, correction};
  if (options.columns == 16) return Packer<16>(b, path, role, options).pack();
  return Packer<32>(b, path, role, options).pack();
}

}  // namespace mx
