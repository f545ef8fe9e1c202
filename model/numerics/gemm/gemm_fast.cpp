// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/gemm_fast.h"

#include <algorithm>
#include <array>

#include "model/numerics/base/bits.h"
#include "model/numerics/gemm/gemm_definition.h"

namespace mxe::numerics {
namespace {

// Target for the bytes of a strip of A, which stays in the second-level cache for all columns.
constexpr std::size_t kStripBytes = 1 << 18;

// Bounds on the rows of a strip, whatever its bytes, so that enough rows reuse a chunk of B in the
// cache.
constexpr std::size_t kLeastStripRows = 36;
constexpr std::size_t kMostStripRows = 252;
static_assert(kLeastStripRows % kLowTile == 0 && kLeastStripRows % kHighTile == 0);
static_assert(kMostStripRows % kLowTile == 0 && kMostStripRows % kHighTile == 0);

// Bytes of a chunk of B, which stays in the L1 cache for all rows of a strip.
constexpr std::size_t kChunkBytes = 1 << 14;

GemmKernel choose_kernel(const GemmKernels& kernels, const PackedOperand& packed_a, FormatId a,
                         FormatId b) {
  const RowKernels& of_rows = packed_a.rows == kLowTile ? kernels.low : kernels.high;
  switch (packed_a.path) {
    case GemmPath::bytes:
      break;
    case GemmPath::words:
      return of_rows.words;
    case GemmPath::words_double:
      return kernels.words_double;
    case GemmPath::scaled_bytes:
      return of_rows.scaled_bytes;
  }
  switch (byte_sums(a, b)) {
    case 8:
      return of_rows.bytes8;
    case 4:
      return of_rows.bytes4;
    case 2:
      return of_rows.bytes2;
    default:
      return of_rows.bytes1;
  }
}

std::size_t element_size(const PackedOperand& operand) {
  return operand.path == GemmPath::bytes || operand.path == GemmPath::scaled_bytes ? 1 : 2;
}

// Blocks of K per chunk of B; even, so that each chunk starts with the even chain.
std::size_t chunk_blocks(const PackedOperand& b) {
  const std::size_t block = b.rows * kBlockSize * element_size(b);
  return std::max<std::size_t>(2, kChunkBytes / block / 2 * 2);
}

std::size_t strip_rows(const PackedOperand& a) {
  const std::size_t row = std::max<std::size_t>(1, a.blocks) * kBlockSize * element_size(a);
  const std::size_t rows = kStripBytes / row / a.rows * a.rows;
  return std::clamp(rows, kLeastStripRows, kMostStripRows);
}

bool is_nvfp4(const ScaledFormat& format) { return format.scales == kNvfp4Scales; }

}  // namespace

bool has_fast_gemm(const ScaledFormat& a, const ScaledFormat& b) {
  return (a.scales == ScaleLayout{} && b.scales == ScaleLayout{}) || (is_nvfp4(a) && is_nvfp4(b));
}

FastGemm::FastGemm(const MxTensor& a, const PreparedOperand& b, const GemmKernels& kernels,
                   SimdLevel level, bool dual, unsigned threads)
    : a_(a),
      b_(b.tensor()),
      rule_(pair_rule(a.scaled_format(), b_.scaled_format(), dual)),
      step_blocks_(is_nvfp4(a.scaled_format()) ? rule_.step / kBlockSize : 0),
      columns_(tile_columns(kernels)),
      chains_(rule_.chains),
      packed_a_(pack_a(a, b_.format,
                       {columns_, kernels.adds_bytes_in_words, level, threads, step_blocks_})),
      tile_size_(chains_ * tile_rows() * columns_),
      packed_b_(b.packed(a.format, kernels, step_blocks_, level, threads)),
      kernel_(choose_kernel(kernels, packed_a_, a.format, b_.format)) {}

void FastGemm::run(const float* bias, std::size_t first_row, std::size_t last_row,
                   float* out) const {
  const std::size_t chunk = chunk_blocks(*packed_b_);
  const std::size_t rows = strip_rows(packed_a_);
  Strip strip;
  for (std::size_t first = first_row; first < last_row; first += rows) {
    strip.first_row = first;
    strip.last_row = std::min(last_row, first + rows);
    for (strip.column_tile = 0; strip.column_tile < packed_b_->tiles; strip.column_tile++) {
      load_bias(bias, strip);
      for (std::size_t block = 0; block < packed_a_.blocks; block += chunk) {
        multiply(block, std::min(packed_a_.blocks, block + chunk), strip);
      }
      store(strip, out);
    }
  }
}

std::size_t FastGemm::used_columns(std::size_t column_tile) const {
  return std::min(columns_, b_.rows - column_tile * columns_);
}

void FastGemm::load_bias(const float* bias, Strip& strip) const {
  const std::size_t tiles = (strip.last_row - strip.first_row + tile_rows() - 1) / tile_rows();
  strip.acc.assign(tiles * tile_size_, 0.0f);
  if (!bias) return;
  const std::size_t column = strip.column_tile * columns_;
  for (std::size_t row = strip.first_row; row < strip.last_row; row++) {
    const std::size_t r = row - strip.first_row;
    std::copy_n(bias + row * b_.rows + column, used_columns(strip.column_tile),
                strip.acc.data() + r / tile_rows() * tile_size_ + r % tile_rows() * columns_);
  }
}

void FastGemm::multiply(std::size_t first_block, std::size_t last_block, Strip& strip) const {
  float* acc = strip.acc.data();
  for (std::size_t row = strip.first_row; row < strip.last_row;
       row += tile_rows(), acc += tile_size_) {
    const TileBlocks tile = {row / tile_rows(), strip.column_tile, first_block, last_block,
                             chains_};
    if ((packed_a_.tile_has_scalar[tile.a] | packed_b_->tile_has_scalar[tile.b]) != 0) {
      multiply_with_scalar_blocks(tile, strip.last_row, acc);
    } else {
      kernel_(packed_a_, *packed_b_, tile, acc);
    }
  }
}

void FastGemm::store(const Strip& strip, float* out) const {
  const std::size_t used = used_columns(strip.column_tile);
  for (std::size_t row = strip.first_row; row < strip.last_row; row++) {
    const std::size_t r = row - strip.first_row;
    const float* even =
        strip.acc.data() + r / tile_rows() * tile_size_ + r % tile_rows() * columns_;
    const float* odd = even + tile_rows() * columns_;
    float* to = out + row * b_.rows + strip.column_tile * columns_;
    for (std::size_t j = 0; j < used; j++) {
      // Equals merge_chains; adding +0 turns -0 + -0 into +0.
      const uint32_t result = to_bits(chains_ == 2 ? even[j] + odd[j] + 0.0f : even[j]);
      to[j] = from_bits(is_nan_bits(result) ? kQuietNan : result);
    }
  }
}

// Multiplies step by step, so that scalar blocks are added in the order of K.
void FastGemm::multiply_with_scalar_blocks(const TileBlocks& tile, std::size_t last_row,
                                           float* chains) const {
  const std::size_t step = packed_a_.step_blocks;
  for (std::size_t block = tile.first; block < tile.last; block += step) {
    float* acc = chains + block % chains_ * tile_rows() * columns_;
    const TileBlocks one = {tile.a, tile.b, block, block + step, 1};
    kernel_(packed_a_, *packed_b_, one, acc);
    add_scalar_blocks(one, last_row, acc);
  }
}

// The scalar blocks of a step, 0 for the kernel: of A for all columns, of B for all rows.
void FastGemm::add_scalar_blocks(const TileBlocks& tile, std::size_t last_row, float* acc) const {
  const std::size_t blocks = packed_a_.blocks;
  const std::size_t block = tile.first;
  const uint32_t rows = packed_a_.scalar_rows[tile.a * blocks + block];
  const uint32_t columns = packed_b_->scalar_rows[tile.b * blocks + block];
  if ((rows | columns) == 0) return;
  const std::size_t k = block * kBlockSize;
  for (std::size_t r = 0; r < tile_rows() && tile.a * tile_rows() + r < last_row; r++) {
    const std::size_t i = tile.a * tile_rows() + r;
    const bool scalar = (rows >> r & 1) != 0;
    for (std::size_t column = 0; column < used_columns(tile.b); column++) {
      const std::size_t j = tile.b * columns_ + column;
      if (!scalar && (columns >> column & 1) == 0) continue;
      float& to = acc[r * columns_ + column];
      to = from_bits(definition_step(to_bits(to), a_, i, b_, j, k, rule_));
    }
  }
}

}  // namespace mxe::numerics
