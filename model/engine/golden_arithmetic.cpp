// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "model/engine/arithmetic.h"
#include "model/numerics/gemm.h"
#include "model/numerics/tensor.h"

namespace mxe {
namespace {

/// Gathers the words of each tile's passes into whole rows, which the golden GEMM multiplies in the
/// tile's last pass.
class GoldenArithmetic : public Arithmetic {
 public:
  explicit GoldenArithmetic(const Params& params)
      : fp4_dual_(params.fp4_dual != 0), tiles_(params.acc_tiles) {}

  void start(const ArithmeticJob& job) override {
    job_ = job;
    for (Tile& tile : tiles_) tile = {};
  }

  void run(const ArrayPass& pass, const TileResults& results) override {
    Tile& tile = tiles_[pass.tile];
    if (pass.first) begin(pass, tile);
    gather(pass.a, pass.count, tile.filled, tile.a);
    gather(pass.b, pass.count, tile.filled, tile.b);
    tile.filled += pass.count;
    if (!pass.last) return;
    const std::vector<float> values =
        mx::gemm_block(tile.a, tile.b, tile.bias.empty() ? nullptr : tile.bias.data(), fp4_dual_);
    for (unsigned row = 0; row < pass.rows; row++) {
      std::memcpy(results.even + row * results.pitch, &values[std::size_t{row} * pass.cols],
                  pass.cols * sizeof(float));
    }
  }

  /// The golden GEMM has joined them.
  void merge(const uint32_t* even, const uint32_t*, unsigned count, uint32_t* sums) override {
    std::copy_n(even, count, sums);
  }

  bool is_reference() const override { return true; }

 private:
  struct Tile {
    mx::MxTensor a, b;
    uint32_t filled = 0;      // of K
    std::vector<float> bias;  // [row][column], empty for none
  };

  void begin(const ArrayPass& pass, Tile& tile) {
    resize(job_.format_a, pass.rows, tile.a);
    resize(job_.format_b, pass.cols, tile.b);
    tile.filled = 0;
    tile.bias.clear();
    if (!pass.bias(0)) return;
    tile.bias.resize(std::size_t{pass.rows} * pass.cols);
    for (unsigned row = 0; row < pass.rows; row++) {
      std::memcpy(&tile.bias[std::size_t{row} * pass.cols], pass.bias(row),
                  pass.cols * sizeof(float));
    }
  }
  void resize(mx::FormatId format, unsigned rows, mx::MxTensor& tensor) const {
    tensor.format = format;
    tensor.rows = rows;
    tensor.k = job_.k;
    tensor.codes.resize(rows * tensor.k);
    tensor.scales.resize(rows * tensor.scale_columns());
  }
  void gather(const OperandWord* words, unsigned count, uint32_t first,
              mx::MxTensor& tensor) const {
    for (std::size_t row = 0; row < tensor.rows; row++) {
      const OperandWord& word = words[row];
      uint8_t* codes = &tensor.codes[row * tensor.k + first];
      if (job_.dual) {
        for (unsigned i = 0; i < count; i++) codes[i] = word.code(i, true);
      } else {
        std::copy_n(word.lanes.begin(), count, codes);
      }
      uint8_t* scales = &tensor.scales[row * tensor.scale_columns() + first / kLanes];
      scales[0] = word.scales[0];
      if (count > kLanes) scales[1] = word.scales[1];
    }
  }

  bool fp4_dual_;
  ArithmeticJob job_;
  std::vector<Tile> tiles_;  // of the group
};

}  // namespace

std::unique_ptr<Arithmetic> make_golden_arithmetic(const Params& params) {
  return std::make_unique<GoldenArithmetic>(params);
}

}  // namespace mxe
