// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "model/engine/arithmetic/arithmetic.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::engine {
namespace {

/// Collects the words of each tile's passes in rows and multiplies them by the golden GEMM, kPart
/// elements of a chain at a time. The sums of a part are the bias of the next one, which is exact
/// because an accumulator holds an FP32 number between two blocks. So memory does not depend on K,
/// which may be wrong and huge in a job that ends in a bus error.
class GoldenArithmetic : public Arithmetic {
 public:
  explicit GoldenArithmetic(const Params& params) : tiles_(params.acc_tiles) {}

  void start(const ArithmeticJob& job) override {
    job_ = job;
    for (Tile& tile : tiles_) tile = {};
  }

  void run(const ArrayPass& pass, const TileResults& results) override {
    Tile& tile = tiles_[pass.tile];
    if (pass.first) begin(pass, tile);
    if (job_.nvfp4) {
      add(pass, 0, pass.count, tile.chains[0]);
    } else {
      for (unsigned i = 0; i < chains(); i++) {
        const unsigned before = i * kBlockSize;
        if (pass.count > before)
          add(pass, i, std::min(pass.count - before, kBlockSize), tile.chains[i]);
      }
    }
    if (!pass.last) return;
    store(pass, tile.chains[0], results.even, results.pitch);
    if (chains() == 2) store(pass, tile.chains[1], results.odd, results.pitch);
  }

  bool is_reference() const override { return true; }

 private:
  /// Elements along K of a chain that are multiplied at a time.
  static constexpr std::size_t kPart = 4096;
  static_assert(kPart % kBlockSize == 0);

  /// One chain of sums: all blocks, or the even or odd ones at the dual rate.
  struct Chain {
    numerics::MxTensor a, b;    // part that is being collected
    std::size_t filled = 0;     // elements per row in a and b
    std::size_t remaining = 0;  // elements per row in later parts
    std::vector<float> sums;    // [row][column]: bias and earlier parts
  };
  struct Tile {
    std::array<Chain, 2> chains;
  };

  unsigned chains() const { return job_.dual && !job_.nvfp4 ? 2 : 1; }

  /// Elements along K that belong to chain `i`. Example: K = 100 at the dual rate is 64 and 36.
  std::size_t depth(unsigned i) const {
    if (chains() == 1) return job_.k;
    const std::size_t pairs = job_.k / (2 * kBlockSize), rest = job_.k % (2 * kBlockSize);
    const std::size_t before = i * kBlockSize;
    return pairs * kBlockSize +
           (rest > before ? std::min<std::size_t>(rest - before, kBlockSize) : 0);
  }

  void begin(const ArrayPass& pass, Tile& tile) {
    for (unsigned i = 0; i < chains(); i++) {
      Chain& chain = tile.chains[i];
      chain.remaining = depth(i);
      chain.sums.assign(std::size_t{pass.rows} * pass.cols, 0);
      next_part(pass, chain);
    }
    if (!pass.bias(0)) return;
    for (unsigned row = 0; row < pass.rows; row++) {
      std::memcpy(&tile.chains[0].sums[std::size_t{row} * pass.cols], pass.bias(row),
                  pass.cols * sizeof(float));
    }
  }

  void next_part(const ArrayPass& pass, Chain& chain) const {
    const std::size_t part = std::min(chain.remaining, kPart);
    resize(job_.format_a, pass.rows, part, chain.a);
    resize(job_.format_b, pass.cols, part, chain.b);
    chain.remaining -= part;
    chain.filled = 0;
  }
  void resize(numerics::FormatId format, unsigned rows, std::size_t k,
              numerics::MxTensor& tensor) const {
    tensor.format = format;
    tensor.layout = job_.nvfp4 ? numerics::kNvfp4Scales : numerics::ScaleLayout{};
    tensor.rows = rows;
    tensor.k = k;
    tensor.codes.resize(rows * k);
    tensor.scales.resize(rows * tensor.scale_columns());
  }

  /// Appends `count` elements of block `i` of the words (0 even, 1 odd) to the chain.
  void add(const ArrayPass& pass, unsigned i, unsigned count, Chain& chain) const {
    gather(pass.a, i, count, chain.filled, chain.a);
    gather(pass.b, i, count, chain.filled, chain.b);
    chain.filled += count;
    if (chain.filled < chain.a.k) return;
    chain.sums = numerics::gemm_block(chain.a, chain.b, chain.sums.data(), job_.nvfp4 && job_.dual);
    next_part(pass, chain);
  }
  void gather(const OperandWord* words, unsigned i, unsigned count, std::size_t first,
              numerics::MxTensor& tensor) const {
    for (std::size_t row = 0; row < tensor.rows; row++) {
      const OperandWord& word = words[row];
      uint8_t* codes = &tensor.codes[row * tensor.k + first];
      if (job_.dual) {
        for (unsigned lane = 0; lane < count; lane++)
          codes[lane] = word.code(i * kBlockSize + lane, true);
      } else {
        std::copy_n(word.lanes.begin(), count, codes);
      }
      uint8_t* scales = &tensor.scales[row * tensor.scale_columns()];
      if (job_.nvfp4) {
        const std::size_t block = tensor.layout.block;
        std::copy_n(word.scales.begin(), (count + block - 1) / block, scales + first / block);
      } else {
        scales[first / kBlockSize] = word.scales[i];
      }
    }
  }

  static void store(const ArrayPass& pass, const Chain& chain, uint32_t* results,
                    std::size_t pitch) {
    for (unsigned row = 0; row < pass.rows; row++) {
      std::memcpy(results + row * pitch, &chain.sums[std::size_t{row} * pass.cols],
                  pass.cols * sizeof(float));
    }
  }

  ArithmeticJob job_;
  std::vector<Tile> tiles_;  // of the group
};

}  // namespace

std::unique_ptr<Arithmetic> make_golden_arithmetic(const Params& params) {
  return std::make_unique<GoldenArithmetic>(params);
}

}  // namespace mxe::engine
