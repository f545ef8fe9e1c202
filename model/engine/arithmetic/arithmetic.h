// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/blocks/block_visitor.h"
#include "model/engine/arithmetic/block_watcher.h"
#include "model/job/output.h"
#include "model/numerics/formats/format.h"
#include "model/numerics/quantize/requantize.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// One operand word: 32 containers of 8 bits; elements beyond K are arbitrary (ArrayPass::count).
/// At the dual rate a container holds two 4-bit elements: the low nibble is of the even block, the
/// high one of the odd block.
struct OperandWord {
  std::array<uint8_t, kBlockSize> lanes{};
  /// E8M0: one, or two at the dual rate. NVFP4: UE4M3 of two or, at the dual rate, four blocks.
  std::array<uint8_t, 4> scales{};

  /// The code of element `i`, 0 to 31, or to 63 at the dual rate.
  uint8_t code(unsigned i, bool dual) const {
    if (!dual) return lanes[i];
    return i < kBlockSize ? lanes[i] & 0xF : static_cast<uint8_t>(lanes[i - kBlockSize] >> 4);
  }
};

struct ArithmeticJob {
  numerics::FormatId format_a = numerics::FormatId::mxint8, format_b = numerics::FormatId::mxint8;
  uint32_t k = 0;
  bool dual = false;                 ///< two blocks of 4-bit elements at a time
  bool nvfp4 = false;                ///< blocks of 16 with UE4M3 scales; one chain
  numerics::RequantOptions requant;  ///< of MX results
};

/// One pass of the array: an operand word of every row of A and of every column of B in a tile.
struct ArrayPass {
  unsigned rows = 0, cols = 0;
  unsigned tile = 0;                 ///< 0 to ACC_TILES - 1: selects the accumulators
  unsigned count = 0;                ///< elements of the words that lie within K
  bool first = false, last = false;  ///< first, last pass of the tile
  const OperandWord* a = nullptr;    ///< [rows]
  const OperandWord* b = nullptr;    ///< [cols]
  uint64_t cycle = 0;                ///< result of the first row; one row per cycle follows

  /// The bias of a row, [cols] FP32 bits; null if there is none or the pass is not the first.
  const uint32_t* bias(unsigned row) const {
    return bias_rows ? bias_rows + row * bias_pitch : nullptr;
  }
  const uint32_t* bias_rows = nullptr;
  std::size_t bias_pitch = 0;
};

/// FP32 bits of a tile's results, by rows. Single rate: all are in `even`. Dual rate: the chains of
/// the even and of the odd blocks.
struct TileResults {
  uint32_t* even = nullptr;
  uint32_t* odd = nullptr;
  std::size_t pitch = 0;  ///< values from row to row
};

struct EncodedRow {
  std::array<uint8_t, kBlockSize> elements{};  ///< packed
  uint8_t scale = 0;
  std::array<bool, kBlockSize> saturated{};  ///< by column: beyond the largest element
};

/// Computes the engine's results, in the order of the engine's calls. It does not compute cycles.
///
/// EngineConfig::arithmetic replaces it by another class, which needs only start() and run(): the
/// other functions default to those of the reference.
class Arithmetic {
 public:
  Arithmetic() = default;
  Arithmetic(const Arithmetic&) = delete;
  Arithmetic& operator=(const Arithmetic&) = delete;
  virtual ~Arithmetic() = default;

  /// A job starts. The previous job may have been aborted at any point.
  virtual void start(const ArithmeticJob& job) = 0;
  /// Computes a pass. A tile's passes arrive in the order of K; the last one writes `results`.
  virtual void run(const ArrayPass& pass, const TileResults& results) = 0;
  /// sums[i] = even[i] + odd[i], rounded to FP32: the two chains of the dual rate.
  virtual void merge(const uint32_t* even, const uint32_t* odd, unsigned count, uint32_t* sums);
  /// results[i] = alpha * values[i], rounded, then + c[i], rounded, if `c` is not null. FP32 bits.
  virtual void finish(uint32_t alpha, const uint32_t* values, const uint32_t* c, unsigned count,
                      uint32_t* results);
  virtual unsigned count_nans(const uint32_t* values, unsigned count);
  /// Results in `format` as stored in memory. Returns `values` for FP32, else the data of `buffer`.
  virtual const uint8_t* store(const job::NumberFormat& format, const uint32_t* values,
                               unsigned count, std::vector<uint16_t>& buffer);
  /// Encodes 1 to 32 results as one MX block.
  virtual EncodedRow encode(const uint32_t* values, unsigned count,
                            const numerics::RequantOptions& options);

  /// Shows the array's blocks with the values of its last row.
  virtual void visit_blocks(blocks::BlockVisitor& /*visitor*/) const {}
  /// Shows the drain's blocks (merge_0, merge_1, ..., requant) with the values of their last row.
  virtual void visit_drain(blocks::BlockVisitor& /*visitor*/) const {}
  /// `watcher` (null: none) receives every row and segment of an arithmetic that has blocks. It
  /// must outlive this object.
  void watch(BlockWatcher* watcher) { watcher_ = watcher; }
  /// True if a watcher is set. Each segment must then be shown by the three functions below.
  bool watched() const { return watcher_ != nullptr; }
  /// `cycle`: the sums of this segment of `count` results are valid.
  virtual void show_merge(uint64_t /*cycle*/, const uint32_t* /*even*/, const uint32_t* /*odd*/,
                          unsigned /*count*/) {}
  /// `cycle`: first in which the largest magnitude of this segment is valid.
  virtual void show_amax(uint64_t /*cycle*/, const uint32_t* /*values*/, unsigned /*count*/) {}
  /// `cycle`: the codes of the row's first segment are valid; one segment per cycle follows.
  virtual void show_encode(uint64_t /*cycle*/, const uint32_t* /*values*/, unsigned /*count*/,
                           const numerics::RequantOptions& /*options*/) {}

  /// True if WholeJob may compute a job's results at its start, instead of run().
  virtual bool is_reference() const { return false; }

 protected:
  void row_done(uint64_t cycle) const {
    if (watcher_) watcher_->row(cycle, *this);
  }
  void segment_done(uint64_t cycle, BlockPart part) const {
    if (watcher_) watcher_->segment(cycle, part, *this);
  }

 private:
  BlockWatcher* watcher_ = nullptr;
};

using ArithmeticFactory = std::function<std::unique_ptr<Arithmetic>(const Params& params)>;

/// The reference's matrix multiply. It computes a tile in its last pass, and before that after
/// every 4096 elements of K in a chain.
std::unique_ptr<Arithmetic> make_golden_arithmetic(const Params& params);
/// The RTL's arithmetic block by block (structural_arithmetic.h).
std::unique_ptr<Arithmetic> make_structural_arithmetic(const Params& params);

/// The factory called "golden" or "structural"; throws Error for any other name.
ArithmeticFactory parse_arithmetic(const std::string& name);

}  // namespace mxe::engine
