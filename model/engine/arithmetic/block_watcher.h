// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxe::engine {

class Arithmetic;

/// Parts of the datapath whose blocks are shown together, for one cycle.
enum class BlockPart : uint8_t {
  array,    ///< element decode and PEs
  merge,    ///< joins the chains of a segment
  amax,     ///< largest magnitude of a segment
  requant,  ///< largest magnitude of the row, its scale, the lanes of a segment
};

/// The slots of the job pipeline (mxe_cmd).
enum class PipelineSlot : uint8_t { run, wait, ahead };
inline constexpr std::size_t kPipelineSlots = 3;

/// Receives the slots of the job pipeline when they change, and the blocks of a structural
/// arithmetic after each computation.
///
/// Cycles of one part never decrease; no part's cycle is before the last advance().
class BlockWatcher {
 public:
  virtual ~BlockWatcher() = default;

  /// The array's blocks hold the values of the row issued in `cycle`.
  virtual void row(uint64_t cycle, const Arithmetic& arithmetic) = 0;
  /// The blocks of `part` hold the values of a segment that the RTL has in `cycle`.
  virtual void segment(uint64_t /*cycle*/, BlockPart /*part*/, const Arithmetic& /*arithmetic*/) {}
  /// From `cycle` on, `slot` has `value`, encoded as slot_t of mxe_cmd.
  virtual void slot(uint64_t /*cycle*/, PipelineSlot /*slot*/, uint8_t /*value*/) {}
  /// All later calls have `cycle` or a later cycle.
  virtual void advance(uint64_t /*cycle*/) {}
};

}  // namespace mxe::engine
