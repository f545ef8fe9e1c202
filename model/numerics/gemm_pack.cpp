#include "numerics/gemm_pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "numerics/accumulate.h"
#include "numerics/bits.h"

namespace mx {
namespace {

constexpr int kMaxWord = 32767;

// Scales beyond 2^+-63 are left to the slow path of the float32 kernels: within, the product of two
// scales and both lsb is a float32.
constexpr int kFastScaleRange = 63;

int64_t largest_integer(FormatId format) {
  int64_t largest = 0;
  for (const int64_t value : integer_table(format)) largest = std::max(largest, std::abs(value));
  return largest;
}

bool fits_byte(FormatId format) { return largest_integer(format) <= 128; }

bool special_code(const ElementFormat& format, uint8_t code) {
  return format.kind == FormatKind::floating && (code & (format.sign_mask() - 1)) > format.max_code;
}

// Whether a block must take the slow path whatever its elements' sizes.
bool block_is_slow(const MxTensor& tensor, GemmPath path, size_t row, size_t block) {
  const uint8_t scale = tensor.scales[row * tensor.scale_columns() + block];
  if (scale == kNanScale) return true;
  if (path != GemmPath::words_double && std::abs(scale - kScaleBias) > kFastScaleRange) return true;
  const ElementFormat& format = element_format(tensor.format);
  if (!format.has_nan) return false;
  const size_t end = std::min(tensor.k, (block + 1) * kBlockSize);
  for (size_t k = block * kBlockSize; k < end; ++k) {
    if (special_code(format, tensor.codes[row * tensor.k + k])) return true;
  }
  return false;
}

// The integers of a block, zeros beyond K.
std::array<int64_t, kBlockSize> block_integers(const MxTensor& tensor, size_t row, size_t block) {
  const std::array<int64_t, 256>& table = integer_table(tensor.format);
  std::array<int64_t, kBlockSize> integers{};
  const size_t begin = block * kBlockSize;
  const size_t count = std::min(kBlockSize, tensor.k - begin);
  for (size_t i = 0; i < count; ++i) integers[i] = table[tensor.codes[row * tensor.k + begin + i]];
  return integers;
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

// Fills one A block of words, divided by 2^shift if `may_shift`; returns its flags.
uint8_t pack_words(const std::array<int64_t, kBlockSize>& integers, bool may_shift,
                   bool may_be_wide, int16_t* words, int16_t* residue, int* shift) {
  uint64_t all = 0;
  for (const int64_t value : integers) all |= static_cast<uint64_t>(std::abs(value));
  *shift = all == 0 || !may_shift ? 0 : __builtin_ctzll(all);
  if (all >> *shift <= static_cast<uint64_t>(kMaxWord)) {
    for (size_t i = 0; i < kBlockSize; ++i) {
      words[i] = static_cast<int16_t>(integers[i] / (int64_t{1} << *shift));
    }
    return 0;
  }
  if (!may_be_wide) return kSlow;
  // Low bits move to the residue; the division truncates, so both have the element's sign.
  *shift = PackedA::kResidueShift;
  for (size_t i = 0; i < kBlockSize; ++i) {
    const int64_t high = integers[i] / (int64_t{1} << PackedA::kResidueShift);
    words[i] = static_cast<int16_t>(high);
    residue[i] = static_cast<int16_t>(integers[i] - high * (int64_t{1} << PackedA::kResidueShift));
  }
  return kWide;
}

// Part of B that an integer belongs to and its value there.
void place_part(int64_t integer, size_t parts, int16_t* first, size_t part_stride) {
  if (integer == 0) return;
  if (parts == 1) {
    *first = static_cast<int16_t>(integer);
    return;
  }
  // Trailing zeros tell the binade of the last significand bit; seven more than a part's first
  // still leave the value below 2^11 there.
  const int zeros = __builtin_ctzll(static_cast<uint64_t>(std::abs(integer)));
  const size_t part = std::min(parts - 1, static_cast<size_t>(zeros / kPartShift));
  const int shift = static_cast<int>(part) * kPartShift;
  first[part * part_stride] = static_cast<int16_t>(integer / (int64_t{1} << shift));
}

}  // namespace

GemmPath gemm_path(FormatId a, FormatId b) {
  if (pair_tree_width(a, b) > 24) return GemmPath::words_double;
  const bool both_int8 = a == FormatId::mxint8 && b == FormatId::mxint8;
  return fits_byte(a) && fits_byte(b) && !both_int8 ? GemmPath::bytes : GemmPath::words;
}

int byte_sums(FormatId a, FormatId b) {
  // A with its offset is at most twice its largest integer (255 for mxint8).
  const int64_t product = 2 * std::min<int64_t>(2 * largest_integer(a), 255) * largest_integer(b);
  int sums = 8;
  while (sums * product > kMaxWord) sums /= 2;
  return sums;
}

PackedA pack_a(const MxTensor& a, FormatId format_b) {
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
  const int64_t offset = largest_integer(a.format);
  for (size_t row = 0; row < a.rows; ++row) {
    for (size_t block = 0; block < packed.blocks; ++block) {
      const size_t at = row * packed.blocks + block;
      const std::array<int64_t, kBlockSize> integers = block_integers(a, row, block);
      int shift = 0;
      if (bytes) {
        for (size_t i = 0; i < kBlockSize; ++i) {
          packed.bytes[at * kBlockSize + i] = static_cast<uint8_t>(integers[i] + offset);
        }
      } else {
        packed.flags[at] =
            pack_words(integers, packed.is_wide(), may_be_wide, &packed.words[at * kBlockSize],
                       may_be_wide ? &packed.residue[at * kBlockSize] : nullptr, &shift);
      }
      if (block_is_slow(a, packed.path, row, block)) packed.flags[at] = kSlow;
      if ((packed.flags[at] & kSlow) == 0) {
        store_scale(packed.path, a.scales[at] - kScaleBias + shift, at, &packed.scales,
                    &packed.wide_scales);
      }
    }
  }
  return packed;
}

PackedB pack_b(const MxTensor& b, FormatId format_a, size_t lanes) {
  PackedB packed;
  packed.path = gemm_path(format_a, b.format);
  packed.lanes = lanes;
  const size_t tile_columns = lanes * kTileGroups;
  packed.groups = (b.rows + tile_columns - 1) / tile_columns * kTileGroups;
  packed.blocks = b.scale_columns();
  if (b.format == FormatId::mxfp8_e4m3) packed.parts = 2;
  if (b.format == FormatId::mxfp8_e5m2) packed.parts = 4;
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
  const int lsb = element_format(format_a).lsb_exponent + element_format(b.format).lsb_exponent;
  const int64_t offset = largest_integer(format_a);
  for (size_t row = 0; row < b.rows; ++row) {
    const size_t lane = row % lanes;
    for (size_t block = 0; block < packed.blocks; ++block) {
      const size_t at = row / lanes * packed.blocks + block;
      if (block_is_slow(b, packed.path, row, block)) {
        packed.slow_lanes[at] |= uint32_t{1} << lane;
        continue;
      }
      store_scale(packed.path, b.scales[row * packed.blocks + block] - kScaleBias + lsb,
                  at * lanes + lane, &packed.scales, &packed.wide_scales);
      const std::array<int64_t, kBlockSize> integers = block_integers(b, row, block);
      int64_t sum = 0;
      for (size_t i = 0; i < kBlockSize; ++i) {
        sum += integers[i];
        if (bytes) {
          packed.bytes[at * part_stride + i / 4 * lanes * 4 + lane * 4 + i % 4] =
              static_cast<int8_t>(integers[i]);
        } else {
          int16_t* first =
              &packed.words[at * packed.parts * part_stride + i / 2 * lanes * 2 + lane * 2 + i % 2];
          place_part(integers[i], packed.parts, first, part_stride);
        }
      }
      if (bytes) packed.correction[at * lanes + lane] = static_cast<int32_t>(-offset * sum);
    }
  }
  return packed;
}

}  // namespace mx
