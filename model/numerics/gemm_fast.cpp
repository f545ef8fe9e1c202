#include "numerics/gemm_fast.h"

#include <algorithm>
#include <array>

#include "numerics/accumulate.h"
#include "numerics/bits.h"

namespace mx {
namespace {

constexpr size_t kMaxLanes = 16;
constexpr size_t kMaxTile = kTileRows * kTileGroups * kMaxLanes;

GemmKernel choose_kernel(const GemmKernels& kernels, FormatId a, FormatId b) {
  switch (gemm_path(a, b)) {
    case GemmPath::bytes:
      break;
    case GemmPath::words:
      return kernels.words;
    case GemmPath::words_double:
      return kernels.words_double;
  }
  switch (byte_sums(a, b)) {
    case 8:
      return kernels.bytes8;
    case 4:
      return kernels.bytes4;
    case 2:
      return kernels.bytes2;
    default:
      return kernels.bytes1;
  }
}

}  // namespace

FastGemm::FastGemm(const MxTensor& a, const MxTensor& b, const GemmKernels& kernels, bool dual)
    : a_(a),
      b_(b),
      lanes_(kernels.lanes),
      chains_(dual && is_four_bit(a.format) && is_four_bit(b.format) ? 2 : 1),
      packed_a_(pack_a(a, b.format)),
      packed_b_(pack_b(b, a.format, kernels.lanes)),
      kernel_(choose_kernel(kernels, a.format, b.format)) {}

void FastGemm::run(const float* bias, size_t first_row, size_t last_row, float* out) const {
  // A pair of column groups stays in the cache while all rows pass.
  for (size_t group = 0; group < packed_b_.groups; group += kTileGroups) {
    for (size_t row = first_row; row < last_row; row += kTileRows) {
      tile(bias, row, std::min(kTileRows, last_row - row), group, out);
    }
  }
}

void FastGemm::tile(const float* bias, size_t row, size_t rows, size_t group, float* out) const {
  const size_t columns = kTileGroups * lanes_;
  const size_t column = group * lanes_;
  const size_t used = std::min(columns, b_.rows - column);
  std::array<std::array<float, kMaxTile>, 2> acc{};
  if (bias != nullptr) {
    for (size_t r = 0; r < rows; ++r) {
      std::copy_n(bias + (row + r) * b_.rows + column, used,
                  acc[0].begin() + static_cast<long>(r * columns));
    }
  }
  for (size_t block = 0; block < packed_a_.blocks; ++block) {
    float* chain = acc[block % chains_].data();
    kernel_(packed_a_, packed_b_, row, group, block, chain);
    slow_blocks(row, rows, group, block, chain);
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < used; ++j) {
      uint32_t result = to_bits(acc[0][r * columns + j]);
      if (chains_ == 2) result = merge_chains(result, to_bits(acc[1][r * columns + j]));
      out[(row + r) * b_.rows + column + j] = from_bits(is_nan_bits(result) ? kQuietNan : result);
    }
  }
}

// What the kernel left out: every element of a slow A row, every row of a slow B lane.
void FastGemm::slow_blocks(size_t row, size_t rows, size_t group, size_t block, float* acc) const {
  uint32_t lanes = 0;
  for (size_t g = 0; g < kTileGroups; ++g) {
    lanes |= packed_b_.slow_lanes[(group + g) * packed_b_.blocks + block] << (g * lanes_);
  }
  const size_t columns = kTileGroups * lanes_;
  const size_t k = block * kBlockSize;
  for (size_t r = 0; r < rows; ++r) {
    const size_t i = row + r;
    const bool slow = (packed_a_.flags[i * packed_a_.blocks + block] & kSlow) != 0;
    if (!slow && lanes == 0) continue;
    for (size_t lane = 0; lane < columns; ++lane) {
      const size_t j = group * lanes_ + lane;
      if (j >= b_.rows || (!slow && (lanes >> lane & 1) == 0)) continue;
      const BlockDot dot =
          block_dot(a_.format, &a_.codes[i * a_.k + k], a_.scales[i * packed_a_.blocks + block],
                    b_.format, &b_.codes[j * b_.k + k], b_.scales[j * packed_a_.blocks + block],
                    std::min(kBlockSize, a_.k - k));
      acc[r * columns + lane] = from_bits(accumulate(to_bits(acc[r * columns + lane]), dot));
    }
  }
}

}  // namespace mx
