// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe::engine {

class Arithmetic;

/// The blocks of an arithmetic whose values belong to one cycle.
enum class BlockPart : uint8_t {
  array,    ///< element decode, processing elements
  merge,    ///< the chains of a segment
  amax,     ///< the largest magnitude of a segment
  requant,  ///< that of the row, its scale, the lanes of a segment
};

/// Receives the blocks of a structural arithmetic after each of their computations.
///
/// The model computes ahead: rows of the array, of the drain and of the requantiser are passed in
/// the order in which they are computed. Cycles of one part never go back, those of different parts
/// do, but never before what advance() said last.
class BlockWatcher {
 public:
  virtual ~BlockWatcher() = default;

  /// The array's blocks have the values of a row that the sequencer issues in `cycle`.
  virtual void row(uint64_t cycle, const Arithmetic& arithmetic) = 0;
  /// This part of the drain has the values of a segment, which the RTL has in `cycle`.
  virtual void segment(uint64_t /*cycle*/, BlockPart /*part*/, const Arithmetic& /*arithmetic*/) {}
  /// All that was not told yet is in `cycle` or later.
  virtual void advance(uint64_t /*cycle*/) {}
};

}  // namespace mxe::engine
