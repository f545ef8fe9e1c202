#include "numerics/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "numerics/accumulate.h"
#include "numerics/bits.h"
#include "numerics/block_kernels.h"

namespace mx {
namespace {

constexpr int kMaxWord = 32767;

// Scales beyond 2^+-63 are left to the slow path of the float32 kernels: within, the product of two
// scales and both lsb is a float32.
constexpr int kFastScaleRange = 63;

int32_t largest_byte(FormatId format) {
  int64_t largest = 0;
  for (const int64_t value : integer_table(format)) largest = std::max(largest, std::abs(value));
  return static_cast<int32_t>(std::min<int64_t>(largest, 1 << 20));
}

bool fits_byte(FormatId format) { return largest_byte(format) <= 128; }

// Elements of a row in the units of the format's last bit, padded with zeros to whole blocks. E5M2
// needs 64 bits and comes from a table.
class RowIntegers {
 public:
  RowIntegers(const MxTensor& tensor, SimdLevel level)
      : tensor_(tensor), kernel_(block_kernels(tensor.format, level).integers) {
    const size_t padded = tensor.scale_columns() * kBlockSize;
    wide_ = tensor.format == FormatId::mxfp8_e5m2;
    (wide_ ? integers64_.resize(padded) : integers32_.resize(padded));
  }

  void decode(size_t row) {
    const uint8_t* codes = tensor_.codes.data() + row * tensor_.k;
    if (!wide_) return kernel_(codes, tensor_.k, integers32_.data());
    const std::array<int64_t, 256>& table = integer_table(tensor_.format);
    std::transform(codes, codes + tensor_.k, integers64_.begin(),
                   [&table](uint8_t code) { return table[code]; });
  }

  bool wide() const { return wide_; }
  const int32_t* block32(size_t block) const { return integers32_.data() + block * kBlockSize; }
  const int64_t* block64(size_t block) const { return integers64_.data() + block * kBlockSize; }

 private:
  const MxTensor& tensor_;
  IntegerKernel kernel_;
  bool wide_;
  std::vector<int32_t> integers32_;
  std::vector<int64_t> integers64_;
};

// Whether a block must take the slow path whatever its elements' sizes.
bool block_is_slow(const MxTensor& tensor, GemmPath path, size_t row, size_t block) {
  const uint8_t scale = tensor.scales[row * tensor.scale_columns() + block];
  if (scale == kNanScale) return true;
  if (path != GemmPath::words_double && std::abs(scale - kScaleBias) > kFastScaleRange) return true;
  const ElementFormat& format = element_format(tensor.format);
  if (!format.has_nan) return false;
  const uint32_t mask = format.sign_mask() - 1;
  const uint8_t* codes = tensor.codes.data() + row * tensor.k;
  uint32_t largest = 0;
  const size_t end = std::min(tensor.k, (block + 1) * kBlockSize);
  for (size_t k = block * kBlockSize; k < end; ++k) largest = std::max(largest, codes[k] & mask);
  return largest > format.max_code;
}

// Stores 2^exponent as the path wants it.
void store_scale(GemmPath path, int exponent, size_t at, std::vector<float>* scales,
                 std::vector<double>* wide_scales) {
  if (path == GemmPath::words_double) {
    (*wide_scales)[at] = pow2(exponent);
  } else {
    (*scales)[at] = static_cast<float>(pow2(exponent));
  }
}

// Fills one A block of words, divided by 2^shift if `may_shift`; returns its flags. A null residue
// means that blocks wider than a word are slow.
template <typename Integer>
uint8_t pack_words(const Integer* integers, bool may_shift, int16_t* words, int16_t* residue,
                   int* shift) {
  uint64_t all = 0;
  for (size_t i = 0; i < kBlockSize; ++i) all |= static_cast<uint64_t>(std::abs(integers[i]));
  *shift = all == 0 || !may_shift ? 0 : __builtin_ctzll(all);
  uint8_t flags = 0;
  if (all >> *shift > static_cast<uint64_t>(kMaxWord)) {
    if (residue == nullptr) return kSlow;
    flags = kWide;
    *shift = PackedA::kResidueShift;
  }
  // The shift rounds down; the residue, never negative, makes up for it.
  for (size_t i = 0; i < kBlockSize; ++i) words[i] = static_cast<int16_t>(integers[i] >> *shift);
  if (flags == kWide) {
    constexpr Integer kLow = (1 << PackedA::kResidueShift) - 1;
    for (size_t i = 0; i < kBlockSize; ++i) residue[i] = static_cast<int16_t>(integers[i] & kLow);
  }
  return flags;
}

// Where a code of B goes among its parts.
struct Placement {
  uint8_t part;
  int16_t value;
};

std::array<Placement, 256> placements(FormatId format, size_t parts) {
  std::array<Placement, 256> table{};
  const std::array<int64_t, 256>& integers = integer_table(format);
  for (size_t code = 0; code < 256; ++code) {
    const int64_t integer = integers[code];
    if (integer == 0) continue;
    // Trailing zeros tell the binade of the last significand bit; seven more than a part's first
    // still leave the value below 2^11 there.
    const int zeros = __builtin_ctzll(static_cast<uint64_t>(std::abs(integer)));
    const size_t part = std::min(parts - 1, static_cast<size_t>(zeros / kPartShift));
    const int64_t weight = int64_t{1} << (part * kPartShift);
    table[code] = {static_cast<uint8_t>(part), static_cast<int16_t>(integer / weight)};
  }
  return table;
}

size_t part_count(FormatId format) {
  if (format == FormatId::mxfp8_e4m3) return 2;
  return format == FormatId::mxfp8_e5m2 ? kMaxParts : 1;
}

}  // namespace

GemmPath gemm_path(FormatId a, FormatId b) {
  if (pair_tree_width(a, b) > 24) return GemmPath::words_double;
  const bool both_int8 = a == FormatId::mxint8 && b == FormatId::mxint8;
  return fits_byte(a) && fits_byte(b) && !both_int8 ? GemmPath::bytes : GemmPath::words;
}

int byte_sums(FormatId a, FormatId b) {
  // A with its offset is at most twice its largest integer (255 for mxint8).
  const int product = 2 * std::min(2 * largest_byte(a), 255) * largest_byte(b);
  int sums = 8;
  while (sums * product > kMaxWord) sums /= 2;
  return sums;
}

PackedA pack_a(const MxTensor& a, FormatId format_b, SimdLevel level) {
  PackedA packed;
  packed.path = gemm_path(a.format, format_b);
  packed.blocks = a.scale_columns();
  const size_t padded = (a.rows + kTileRows - 1) / kTileRows * kTileRows;
  const size_t count = padded * packed.blocks;
  const bool bytes = packed.path == GemmPath::bytes;
  (bytes ? packed.bytes.resize(count * kBlockSize) : packed.words.resize(count * kBlockSize));
  // Two words cover E4M3; their sums fit a double unless B is E5M2.
  const bool may_be_wide = a.format == FormatId::mxfp8_e4m3 && format_b != FormatId::mxfp8_e5m2;
  if (may_be_wide) packed.residue.resize(count * kBlockSize);
  (packed.is_wide() ? packed.wide_scales.resize(count) : packed.scales.resize(count));
  packed.flags.resize(count);
  packed.row_is_slow.resize(padded);
  const int32_t offset = largest_byte(a.format);
  RowIntegers integers(a, level);
  for (size_t row = 0; row < a.rows; ++row) {
    integers.decode(row);
    for (size_t block = 0; block < packed.blocks; ++block) {
      const size_t at = row * packed.blocks + block;
      const size_t first = at * kBlockSize;
      int shift = 0;
      if (bytes) {
        const int32_t* from = integers.block32(block);
        uint8_t* to = &packed.bytes[first];
        for (size_t i = 0; i < kBlockSize; ++i) to[i] = static_cast<uint8_t>(from[i] + offset);
      } else {
        int16_t* words = &packed.words[first];
        int16_t* residue = may_be_wide ? &packed.residue[first] : nullptr;
        packed.flags[at] =
            integers.wide()
                ? pack_words(integers.block64(block), packed.is_wide(), words, residue, &shift)
                : pack_words(integers.block32(block), packed.is_wide(), words, residue, &shift);
      }
      if (block_is_slow(a, packed.path, row, block)) packed.flags[at] = kSlow;
      if ((packed.flags[at] & kSlow) != 0) {
        packed.row_is_slow[row] = 1;
      } else {
        store_scale(packed.path, a.scales[at] - kScaleBias + shift, at, &packed.scales,
                    &packed.wide_scales);
      }
    }
  }
  return packed;
}

PackedB pack_b(const MxTensor& b, FormatId format_a, size_t lanes, SimdLevel level) {
  PackedB packed;
  packed.path = gemm_path(format_a, b.format);
  packed.lanes = lanes;
  const size_t tile_columns = lanes * kTileGroups;
  packed.groups = (b.rows + tile_columns - 1) / tile_columns * kTileGroups;
  packed.blocks = b.scale_columns();
  packed.parts = part_count(b.format);
  const bool bytes = packed.path == GemmPath::bytes;
  const size_t count = packed.groups * packed.blocks;
  const size_t part_stride = kBlockSize * lanes;
  if (bytes) {
    packed.bytes.resize(count * part_stride);
    packed.correction.resize(count * lanes);
  } else {
    packed.words.resize(count * packed.parts * part_stride);
  }
  if (packed.path == GemmPath::words_double) {
    packed.wide_scales.resize(count * lanes);
  } else {
    packed.scales.resize(count * lanes);
  }
  packed.slow_lanes.resize(count);
  packed.group_is_slow.resize(packed.groups);
  const int lsb = element_format(format_a).lsb_exponent + element_format(b.format).lsb_exponent;
  const int32_t offset = largest_byte(format_a);
  const std::array<Placement, 256> table = placements(b.format, packed.parts);
  RowIntegers integers(b, level);
  for (size_t row = 0; row < b.rows; ++row) {
    const size_t lane = row % lanes;
    const size_t group = row / lanes;
    if (bytes) integers.decode(row);
    for (size_t block = 0; block < packed.blocks; ++block) {
      const size_t at = group * packed.blocks + block;
      if (block_is_slow(b, packed.path, row, block)) {
        packed.slow_lanes[at] |= uint32_t{1} << lane;
        packed.group_is_slow[group] = 1;
        continue;
      }
      store_scale(packed.path, b.scales[row * packed.blocks + block] - kScaleBias + lsb,
                  at * lanes + lane, &packed.scales, &packed.wide_scales);
      if (bytes) {
        const int32_t* from = integers.block32(block);
        int8_t narrow[kBlockSize];
        int32_t sum = 0;
        for (size_t i = 0; i < kBlockSize; ++i) sum += from[i];
        for (size_t i = 0; i < kBlockSize; ++i) narrow[i] = static_cast<int8_t>(from[i]);
        int8_t* to = &packed.bytes[at * part_stride + lane * 4];
        for (size_t q = 0; q < kBlockSize / 4; ++q) {
          std::copy_n(narrow + 4 * q, 4, to + q * lanes * 4);
        }
        packed.correction[at * lanes + lane] = -offset * sum;
      } else {
        const size_t k = block * kBlockSize;
        const uint8_t* codes = &b.codes[row * b.k + k];
        int16_t* to = &packed.words[at * packed.parts * part_stride + lane * 2];
        const size_t length = std::min(kBlockSize, b.k - k);
        for (size_t i = 0; i < length; ++i) {
          const Placement place = table[codes[i]];
          to[place.part * part_stride + i / 2 * lanes * 2 + i % 2] = place.value;
        }
      }
    }
  }
  return packed;
}

}  // namespace mx
