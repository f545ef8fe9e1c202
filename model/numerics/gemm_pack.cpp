// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm_pack.h"

#include <algorithm>
#include <array>
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

// A part holds eight binades of one significand, and sums of 32 products with a word fit 32 bits if
// its elements have at most 11 bits.
constexpr bool parts_fit(const ElementShape& shape) {
  const int shift = std::min(shape.max_shift(), kPartShift - 1);
  return shape.integer_bits() - shape.max_shift() + shift <= 11;
}
static_assert([] {
  bool all = true;
  for (const FormatRow& row : kFormats) all = all && parts_fit(row.shape);
  return all;
}());

// Scales further than this from 2^0 are left to the scalar path of the float32 kernels: within, the
// product of two scales and both lsb is a normal float32.
int fast_scale_range(FormatId a, FormatId b) {
  constexpr int kMost = 57;
  return std::min(kMost, (126 + element_shape(a).lsb_exponent + element_shape(b).lsb_exponent) / 2);
}

// Elements of a row in the units of the format's last bit, padded with zeros to whole blocks.
// Formats of more than two parts (E5M2) need 64 bits and come from a table.
class RowIntegers {
 public:
  RowIntegers(const MxTensor& tensor, SimdLevel level)
      : tensor_(tensor), kernel_(block_kernels(tensor.format, level).integers) {
    const std::size_t padded = tensor.scale_columns() * kBlockSize;
    wide_ = part_count(tensor.format) > 2;
    (wide_ ? integers64_.resize(padded) : integers32_.resize(padded));
  }

  void decode(std::size_t row) {
    const uint8_t* codes = tensor_.codes.data() + row * tensor_.k;
    if (!wide_) return kernel_(codes, tensor_.k, integers32_.data());
    const std::array<int64_t, 256>& table = integer_table(tensor_.format);
    std::transform(codes, codes + tensor_.k, integers64_.begin(),
                   [&table](uint8_t code) { return table[code]; });
  }

  bool wide() const { return wide_; }
  const int32_t* block32(std::size_t block) const {
    return integers32_.data() + block * kBlockSize;
  }
  const int64_t* block64(std::size_t block) const {
    return integers64_.data() + block * kBlockSize;
  }

 private:
  const MxTensor& tensor_;
  IntegerKernel kernel_;
  bool wide_;
  std::vector<int32_t> integers32_;
  std::vector<int64_t> integers64_;
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

// Fills one A block of words, divided by 2^shift if `may_shift`; returns its flags. A null residue
// means that blocks wider than a word are scalar.
template <typename Integer>
uint8_t pack_words(const Integer* integers, bool may_shift, int16_t* words, int16_t* residue,
                   int& shift) {
  uint64_t all = 0;
  for (std::size_t i = 0; i < kBlockSize; i++) all |= static_cast<uint64_t>(std::abs(integers[i]));
  shift = all == 0 || !may_shift ? 0 : __builtin_ctzll(all);
  uint8_t flags = 0;
  if (all >> shift > kMaxWord) {
    if (!residue) return kScalar;
    flags = kWide;
    shift = PackedA::kResidueShift;
  }
  // The shift rounds down; the residue, never negative, makes up for it.
  for (std::size_t i = 0; i < kBlockSize; i++)
    words[i] = static_cast<int16_t>(integers[i] >> shift);
  if (flags == kWide) {
    constexpr Integer kLow = (1 << PackedA::kResidueShift) - 1;
    for (std::size_t i = 0; i < kBlockSize; i++)
      residue[i] = static_cast<int16_t>(integers[i] & kLow);
  }
  return flags;
}

// Splits a row of B into its parts: every element stands in the part of its binade, divided by the
// part's weight, and is zero in the others. Seven binades above a part's first still leave less
// than 2^11 (parts_fit). `parts` lie `stride` apart.
//
// Into two, by size: `first` is the smallest element of the upper part. Written without branches,
// so that the compiler vectorizes it.
void split_in_two(const int32_t* row, std::size_t count, int32_t first, int16_t* parts,
                  std::size_t stride) {
  for (std::size_t i = 0; i < count; i++) {
    const bool upper = std::abs(row[i]) >= first;
    parts[i] = static_cast<int16_t>(upper ? 0 : row[i]);
    parts[stride + i] = static_cast<int16_t>(upper ? row[i] >> kPartShift : 0);
  }
}

// Into more, by the lowest bit that is set. The number of parts is a constant for speed.
template <std::size_t Parts>
void split_in_many(const int64_t* row, std::size_t count, int16_t* parts, std::size_t stride) {
  constexpr int kLast = static_cast<int>(Parts) - 1;
  for (std::size_t i = 0; i < count; i++) {
    for (std::size_t part = 0; part < Parts; part++) parts[part * stride + i] = 0;
    if (row[i] == 0) continue;
    const int lowest = __builtin_ctzll(static_cast<uint64_t>(row[i]));
    const int part = std::min(kLast, lowest / kPartShift);
    parts[static_cast<std::size_t>(part) * stride + i] =
        static_cast<int16_t>(row[i] >> (part * kPartShift));
  }
}

// Whether a word and its residue hold every element of A, and the sums with B fit a double: E4M3,
// unless B is E5M2.
bool two_words_cover(FormatId a, FormatId b) {
  const uint64_t largest = largest_integer(a);
  return largest > kMaxWord && largest >> PackedA::kResidueShift <= kMaxWord &&
         pair_tree_width(a, b) <= 53;
}

// Fills the rows of A.
class PackA {
 public:
  PackA(const MxTensor& a, FormatId format_b, const PackOptions& options)
      : a_(a),
        scalar_(a, format_b, gemm_path(a.format, format_b, options.adds_bytes_in_words)),
        options_(options),
        offset_(static_cast<int32_t>(largest_integer(a.format))),
        may_be_wide_(two_words_cover(a.format, format_b)) {
    packed_.path = gemm_path(a.format, format_b, options.adds_bytes_in_words);
    packed_.blocks = a.scale_columns();
    const std::size_t padded = (a.rows + kTileRows - 1) / kTileRows * kTileRows;
    const std::size_t count = padded * packed_.blocks;
    const bool bytes = packed_.path == GemmPath::bytes;
    (bytes ? packed_.bytes.resize(count * kBlockSize) : packed_.words.resize(count * kBlockSize));
    if (may_be_wide_) packed_.residue.resize(count * kBlockSize);
    if (is_double()) {
      packed_.wide_scales.resize(count, double_exponent(1023));
    } else {
      packed_.scales.resize(count, float_exponent(127));
    }
    packed_.flags.resize(count);
    packed_.row_has_scalar.resize(padded);
  }

  PackedA pack() {
    parallel_ranges(a_.rows, options_.threads, [&](std::size_t first, std::size_t last) {
      packed_.path == GemmPath::bytes ? byte_rows(first, last) : word_rows(first, last);
    });
    return std::move(packed_);
  }

 private:
  bool is_double() const { return packed_.path == GemmPath::words_double; }

  void byte_rows(std::size_t first, std::size_t last) {
    const ByteKernel kernel = block_kernels(a_.format, options_.level).bytes;
    std::vector<int8_t> bytes(packed_.blocks * kBlockSize);
    for (std::size_t row = first; row < last; row++) {
      kernel(a_.codes.data() + row * a_.k, a_.k, bytes.data());
      for (std::size_t block = 0; block < packed_.blocks; block++) {
        if (finish_block(row, block, 0)) continue;
        std::fill_n(&bytes[block * kBlockSize], kBlockSize, int8_t{0});
      }
      uint8_t* to = &packed_.bytes[row * bytes.size()];
      for (std::size_t i = 0; i < bytes.size(); i++)
        to[i] = static_cast<uint8_t>(bytes[i] + offset_);
    }
  }

  void word_rows(std::size_t first, std::size_t last) {
    RowIntegers integers(a_, options_.level);
    for (std::size_t row = first; row < last; row++) {
      integers.decode(row);
      for (std::size_t block = 0; block < packed_.blocks; block++) {
        const std::size_t at = row * packed_.blocks + block;
        int16_t* words = &packed_.words[at * kBlockSize];
        int16_t* residue = may_be_wide_ ? &packed_.residue[at * kBlockSize] : nullptr;
        int shift = 0;
        packed_.flags[at] =
            integers.wide()
                ? pack_words(integers.block64(block), is_double(), words, residue, shift)
                : pack_words(integers.block32(block), is_double(), words, residue, shift);
        if (finish_block(row, block, shift)) continue;
        std::fill_n(words, kBlockSize, int16_t{0});
        if (may_be_wide_) std::fill_n(residue, kBlockSize, int16_t{0});
      }
    }
  }

  // Stores a block's scale and flags; returns whether the kernels multiply the block.
  bool finish_block(std::size_t row, std::size_t block, int shift) {
    const std::size_t at = row * packed_.blocks + block;
    if (scalar_(row, block)) packed_.flags[at] = kScalar;
    if ((packed_.flags[at] & kScalar) != 0) {
      packed_.row_has_scalar[row] = 1;
      return false;
    }
    if (is_double()) {
      packed_.wide_scales[at] = double_exponent(a_.scales[at] - kScaleBias + shift + 1023);
    } else {
      packed_.scales[at] = float_exponent(a_.scales[at] - kScaleBias + shift + 127);
    }
    return true;
  }

  const MxTensor& a_;
  const ScalarBlocks scalar_;
  const PackOptions& options_;
  const int32_t offset_;
  const bool may_be_wide_;
  PackedA packed_;
};

// Fills the groups of B.
class PackB {
 public:
  PackB(const MxTensor& b, FormatId format_a, const PackOptions& options)
      : b_(b),
        scalar_(b, format_a, gemm_path(format_a, b.format, options.adds_bytes_in_words)),
        options_(options),
        offset_(static_cast<int32_t>(largest_integer(format_a))),
        lsb_(element_format(format_a).lsb_exponent + element_format(b.format).lsb_exponent) {
    packed_.path = gemm_path(format_a, b.format, options.adds_bytes_in_words);
    const std::size_t lanes = options.lanes;
    packed_.lanes = lanes;
    const std::size_t tile_columns = lanes * kTileGroups;
    packed_.groups = (b.rows + tile_columns - 1) / tile_columns * kTileGroups;
    packed_.blocks = b.scale_columns();
    packed_.parts = packed_.path == GemmPath::bytes ? 1 : part_count(b.format);
    const std::size_t count = packed_.groups * packed_.blocks;
    const std::size_t elements = count * packed_.parts * kBlockSize * lanes;
    if (packed_.path == GemmPath::bytes) {
      packed_.bytes.resize(elements);
      packed_.correction.resize(count * lanes);
    } else {
      packed_.words.resize(elements);
    }
    if (packed_.path == GemmPath::words_double) {
      packed_.used_parts.resize(count);
      packed_.wide_scales.resize(count * lanes);
    } else {
      packed_.scales.resize(count * lanes);
    }
    packed_.scalar_lanes.resize(count);
    packed_.group_has_scalar.resize(packed_.groups);
  }

  PackedB pack() {
    const std::size_t used = (b_.rows + packed_.lanes - 1) / packed_.lanes;
    parallel_ranges(used, options_.threads, [&](std::size_t first, std::size_t last) {
      packed_.path == GemmPath::bytes ? byte_groups(first, last) : word_groups(first, last);
    });
    return std::move(packed_);
  }

 private:
  // Of a row in the buffer; a cache line more than it needs, lest the lanes of a column fall into
  // one set of the cache where K is a power of two.
  std::size_t row_size() const { return packed_.blocks * kBlockSize + 64; }
  std::size_t used_lanes(std::size_t group) const {
    return std::min(packed_.lanes, b_.rows - group * packed_.lanes);
  }

  void byte_groups(std::size_t first, std::size_t last) {
    const ByteKernel kernel = block_kernels(b_.format, options_.level).bytes;
    std::vector<int8_t> rows(packed_.lanes * row_size());  // [lanes][blocks][32]
    for (std::size_t group = first; group < last; group++) {
      for (std::size_t lane = 0; lane < used_lanes(group); lane++) {
        const std::size_t row = group * packed_.lanes + lane;
        kernel(&b_.codes[row * b_.k], b_.k, &rows[lane * row_size()]);
        finish_row(group, lane, &rows[lane * row_size()]);
      }
      interleave(rows.data(), used_lanes(group),
                 &packed_.bytes[group * packed_.blocks * packed_.lanes * kBlockSize]);
      correct(group);
    }
  }

  void word_groups(std::size_t first, std::size_t last) {
    const std::size_t part_size = packed_.lanes * row_size();
    std::vector<int16_t> rows(packed_.parts * part_size);  // [parts][lanes][blocks][32]
    RowIntegers integers(b_, options_.level);
    for (std::size_t group = first; group < last; group++) {
      for (std::size_t lane = 0; lane < used_lanes(group); lane++) {
        integers.decode(group * packed_.lanes + lane);
        split(integers, &rows[lane * row_size()], part_size);
        finish_row(group, lane, &rows[lane * row_size()]);
      }
      for (std::size_t part = 0; part < packed_.parts; part++) {
        interleave(&rows[part * part_size], used_lanes(group),
                   &packed_.words[(group * packed_.blocks * packed_.parts + part) * packed_.lanes *
                                  kBlockSize]);
      }
      if (packed_.path == GemmPath::words_double) mark_used_parts(group);
    }
  }

  // Few blocks reach over all binades of E5M2, so that kernels may leave out parts.
  void mark_used_parts(std::size_t group) {
    const std::size_t size = packed_.lanes * kBlockSize;
    for (std::size_t block = 0; block < packed_.blocks; block++) {
      const std::size_t at = group * packed_.blocks + block;
      unsigned used = 0;
      for (std::size_t part = 0; part < packed_.parts; part++) {
        const int16_t* words = &packed_.words[(at * packed_.parts + part) * size];
        int all = 0;
        for (std::size_t i = 0; i < size; i++) all |= words[i];
        used |= (all != 0 ? 1u : 0u) << part;
      }
      packed_.used_parts[at] = static_cast<uint8_t>(used);
    }
  }

  void split(const RowIntegers& integers, int16_t* parts, std::size_t stride) const {
    const std::size_t count = packed_.blocks * kBlockSize;
    // Integers of at most 32 bits (is_engine_format) have at most four parts.
    if (packed_.parts == 4) return split_in_many<4>(integers.block64(0), count, parts, stride);
    if (packed_.parts == 3) return split_in_many<3>(integers.block64(0), count, parts, stride);
    if (packed_.parts == 2) {
      const int32_t first = 1 << (element_shape(b_.format).mantissa_bits + kPartShift);
      return split_in_two(integers.block32(0), count, first, parts, stride);
    }
    const int32_t* row = integers.block32(0);
    for (std::size_t i = 0; i < count; i++) parts[i] = static_cast<int16_t>(row[i]);
  }

  // Stores the scales of a row and wipes its scalar blocks out of all its parts.
  template <typename Element>
  void finish_row(std::size_t group, std::size_t lane, Element* elements) {
    const std::size_t row = group * packed_.lanes + lane;
    for (std::size_t block = 0; block < packed_.blocks; block++) {
      const std::size_t at = group * packed_.blocks + block;
      if (scalar_(row, block)) {
        packed_.scalar_lanes[at] |= uint32_t{1} << lane;
        packed_.group_has_scalar[group] = 1;
        for (std::size_t part = 0; part < packed_.parts; part++) {
          std::fill_n(elements + part * packed_.lanes * row_size() + block * kBlockSize, kBlockSize,
                      Element{0});
        }
        continue;
      }
      const int exponent = b_.scales[row * packed_.blocks + block] - kScaleBias + lsb_;
      if (packed_.path == GemmPath::words_double) {
        packed_.wide_scales[at * packed_.lanes + lane] = double_exponent(exponent);
      } else {
        packed_.scales[at * packed_.lanes + lane] = float_exponent(exponent);
      }
    }
  }

  // Rows of a group to [blocks][steps][lanes] units of four bytes; a block's parts lie together.
  template <typename Element>
  void interleave(const Element* rows, std::size_t used, Element* to) const {
    constexpr std::size_t kUnit = 4 / sizeof(Element);
    const std::size_t step = packed_.lanes * kUnit;
    for (std::size_t block = 0; block < packed_.blocks; block++) {
      Element* at = to + block * packed_.parts * packed_.lanes * kBlockSize;
      for (std::size_t k = 0; k < kBlockSize; k += kUnit, at += step) {
        const Element* from = rows + block * kBlockSize + k;
        for (std::size_t lane = 0; lane < used; lane++) {
          std::memcpy(at + lane * kUnit, from + lane * row_size(), 4);
        }
      }
    }
  }

  // Sums of a group's blocks, from four bytes a lane at a time: as unsigned numbers, eight of which
  // fit 16 bits, in two pairs a word.
  void correct(std::size_t group) {
    constexpr uint32_t kPairs = 0x00FF00FF;
    constexpr int32_t kBias = 128 * static_cast<int32_t>(kBlockSize);
    const std::size_t lanes = packed_.lanes;
    for (std::size_t block = 0; block < packed_.blocks; block++) {
      const std::size_t at = (group * packed_.blocks + block) * lanes;
      for (std::size_t lane = 0; lane < lanes; lane++) {
        const int8_t* from = &packed_.bytes[at * kBlockSize + lane * 4];
        uint32_t low = 0;
        uint32_t high = 0;
        for (std::size_t q = 0; q < kBlockSize / 4; q++) {
          uint32_t word;
          std::memcpy(&word, from + q * lanes * 4, 4);
          word ^= 0x80808080;
          low += word & kPairs;
          high += word >> 8 & kPairs;
        }
        const uint32_t pairs = low + high;  // at most 16 * 255 each
        const int32_t sum = static_cast<int32_t>((pairs & 0xFFFF) + (pairs >> 16)) - kBias;
        packed_.correction[at + lane] = -offset_ * sum;
      }
    }
  }

  const MxTensor& b_;
  const ScalarBlocks scalar_;
  const PackOptions& options_;
  const int32_t offset_;
  const int lsb_;  // of both formats together
  PackedB packed_;
};

}  // namespace

std::size_t part_count(FormatId format) {
  return static_cast<std::size_t>(element_shape(format).max_shift() / kPartShift) + 1;
}

GemmPath gemm_path(FormatId a, FormatId b, bool adds_bytes_in_words) {
  if (pair_tree_width(a, b) > 24) return GemmPath::words_double;
  if (!fits_byte(a) || !fits_byte(b)) return GemmPath::words;
  return adds_bytes_in_words && largest_byte_sum(a, b) > kMaxWord ? GemmPath::words
                                                                  : GemmPath::bytes;
}

int byte_sums(FormatId a, FormatId b) {
  const uint64_t product = largest_byte_sum(a, b);
  int sums = 8;
  while (sums > 1 && static_cast<uint64_t>(sums) * product > kMaxWord) sums /= 2;
  return sums;
}

PackedA pack_a(const MxTensor& a, FormatId format_b, const PackOptions& options) {
  return PackA(a, format_b, options).pack();
}

PackedB pack_b(const MxTensor& b, FormatId format_a, const PackOptions& options) {
  return PackB(b, format_a, options).pack();
}

}  // namespace mx
