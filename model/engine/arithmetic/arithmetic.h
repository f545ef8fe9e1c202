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

/// An operand word as it leaves its buffer: an 8-bit container for each of 32 elements, zeros
/// beyond K, and its scales. At the dual rate there are 64 4-bit elements: the low nibbles are the
/// even block, the high ones the odd block.
struct OperandWord {
  std::array<uint8_t, kBlockSize> lanes{};
  std::array<uint8_t, 2> scales{};  ///< E8M0; the second one is meaningful at the dual rate only

  /// The code of element `i`, 0 to 31, or to 63 at the dual rate.
  uint8_t code(unsigned i, bool dual) const {
    if (!dual) return lanes[i];
    return i < kBlockSize ? lanes[i] & 0xF : static_cast<uint8_t>(lanes[i - kBlockSize] >> 4);
  }
};

/// The part of a job that an arithmetic needs.
struct ArithmeticJob {
  numerics::FormatId format_a = numerics::FormatId::mxint8, format_b = numerics::FormatId::mxint8;
  uint32_t k = 0;
  bool dual = false;                 ///< two blocks of 4-bit elements at a time
  numerics::RequantOptions requant;  ///< of MX results
};

/// One pass of the array: an operand word of every row of A and of every column of B in a tile.
struct ArrayPass {
  unsigned rows = 0, cols = 0;
  unsigned tile = 0;                 ///< below ACC_TILES: whose accumulators
  unsigned count = 0;                ///< elements of the words that lie within K
  bool first = false, last = false;  ///< of the tile's passes
  const OperandWord* a = nullptr;    ///< [rows]
  const OperandWord* b = nullptr;    ///< [cols]
  uint64_t cycle = 0;                ///< in which its first row is issued, the others follow

  /// The bias of a row, [cols] FP32 bits; null if there is none or the pass is not the first.
  const uint32_t* bias(unsigned row) const {
    return bias_rows ? bias_rows + row * bias_pitch : nullptr;
  }
  const uint32_t* bias_rows = nullptr;
  std::size_t bias_pitch = 0;
};

/// Where the last pass of a tile leaves the accumulators, FP32 bits by rows. The second chain, of
/// the odd blocks, exists at the dual rate.
struct TileResults {
  uint32_t* even = nullptr;
  uint32_t* odd = nullptr;
  std::size_t pitch = 0;  ///< values from row to row
};

/// A row of a block of MX results.
struct EncodedRow {
  std::array<uint8_t, kBlockSize> elements{};  ///< packed
  uint8_t scale = 0;
  std::array<bool, kBlockSize> saturated{};  ///< by columns: beyond the largest element
};

/// Computes the results of the engine: the array's sums, and the values that merge and requantiser
/// make from them. The engine determines the cycles and calls the functions in order; they take no
/// simulated time.
///
/// A class of one's own may replace it (EngineConfig::arithmetic). It need only do what the array
/// does, start() and run(): the others do by default what the reference does.
class Arithmetic {
 public:
  Arithmetic() = default;
  Arithmetic(const Arithmetic&) = delete;
  Arithmetic& operator=(const Arithmetic&) = delete;
  virtual ~Arithmetic() = default;

  /// A job starts. The previous job may have been aborted at any point.
  virtual void start(const ArithmeticJob& job) = 0;
  /// Carries out a pass. The passes of one tile come in the order of K, mingled with those of the
  /// other tiles; the last one leaves its results in `results`.
  virtual void run(const ArrayPass& pass, const TileResults& results) = 0;
  /// Joins the two chains of the dual rate.
  virtual void merge(const uint32_t* even, const uint32_t* odd, unsigned count, uint32_t* sums);
  /// How many of these results count as NaN.
  virtual unsigned count_nans(const uint32_t* values, unsigned count);
  /// Results as they lie in memory, as numbers of this format: `values` itself, if that is FP32, or
  /// `buffer`.
  virtual const uint8_t* store(const job::NumberFormat& format, const uint32_t* values,
                               unsigned count, std::vector<uint16_t>& buffer);
  /// Results as a row of a block of MX elements; `count` is 1 to 32.
  virtual EncodedRow encode(const uint32_t* values, unsigned count,
                            const numerics::RequantOptions& options);

  /// Shows the blocks of the array, with the values of the last row, if there are any.
  virtual void visit_blocks(blocks::BlockVisitor& /*visitor*/) const {}
  /// Shows those of the drain: merge_0, merge_1, ... with the values of the last row joined, and
  /// requant with those of the last row encoded.
  virtual void visit_drain(blocks::BlockVisitor& /*visitor*/) const {}
  /// Tells `watcher` of every row of an array of blocks. It must outlive this object.
  void watch(BlockWatcher* watcher) { watcher_ = watcher; }
  /// True if a watcher receives the blocks. The results of merge() and encode() are then shown
  /// segment by segment, as soon as their cycles are known.
  bool watched() const { return watcher_ != nullptr; }
  /// `cycle`: in which the sums of these `count` results, a segment, are there.
  virtual void show_merge(uint64_t /*cycle*/, const uint32_t* /*even*/, const uint32_t* /*odd*/,
                          unsigned /*count*/) {}
  /// `cycle`: the first in which the largest magnitude of this segment is valid.
  virtual void show_amax(uint64_t /*cycle*/, const uint32_t* /*values*/, unsigned /*count*/) {}
  /// `cycle`: in which the codes of the row's first segment are there; those of the others follow.
  virtual void show_encode(uint64_t /*cycle*/, const uint32_t* /*values*/, unsigned /*count*/,
                           const numerics::RequantOptions& /*options*/) {}

  /// True if all results are those of the reference, so that the reference may compute a whole job
  /// at once instead, which is many times faster.
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

/// Makes an engine's arithmetic.
using ArithmeticFactory = std::function<std::unique_ptr<Arithmetic>(const Params& params)>;

/// The reference's matrix multiply. It computes all results of a tile in the tile's last pass.
std::unique_ptr<Arithmetic> make_golden_arithmetic(const Params& params);
/// The RTL's arithmetic block by block: StructuralArithmetic in structural_arithmetic.h.
std::unique_ptr<Arithmetic> make_structural_arithmetic(const Params& params);

/// The factory with this name, golden or structural. Throws Error with these names for any
/// other.
ArithmeticFactory parse_arithmetic(const std::string& name);

}  // namespace mxe::engine
