// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe::blame {

/// A field of a packed struct of mxe_pkg.
struct Field {
  unsigned low, width;

  /// The field of `bits` bits above this one.
  constexpr Field above(unsigned bits) const { return {low + width, bits}; }
};

// Each struct from its lowest field to its highest, which is the reverse of the order in mxe_pkg.
namespace axi {
constexpr Field kLen{0, 8}, kAddr = kLen.above(64), kAddrValid = kAddr.above(1);  // axi_addr_t
constexpr Field kBError{0, 1}, kBValid = kBError.above(1), kWReady = kBValid.above(1);  // axi_in_t
constexpr Field kAwReady = kWReady.above(1);
}  // namespace axi

namespace shape {
constexpr Field kChunkShift{0, 2}, kLongSlabs = kChunkShift.above(1), kWide = kLongSlabs.above(1);
constexpr Field kSkipGroup = kWide.above(1), kKWords = kSkipGroup.above(28);
constexpr Field kN = kKWords.above(32), kM = kN.above(32), kBatch = kM.above(16);
}  // namespace shape

namespace step {
constexpr Field kNext{0, 6}, kLastUse = kNext.above(1), kLastK = kLastUse.above(1);
constexpr Field kFirstK = kLastK.above(1), kChunkWords = kFirstK.above(13);
constexpr Field kWords = kChunkWords.above(13), kTile = kWords.above(4);
constexpr Field kCols = kTile.above(8), kRows = kCols.above(9);
}  // namespace step

namespace matrix {
constexpr Field kOneRow{0, 1}, kTwoBytes = kOneRow.above(1), kStride = kTwoBytes.above(32);
constexpr Field kAddr = kStride.above(64), kN = kAddr.above(32), kM = kN.above(32);
constexpr Field kBatch = kM.above(16);
}  // namespace matrix

namespace tile_row {
constexpr Field kLastTile{0, 1}, kLastRow = kLastTile.above(1), kRow = kLastRow.above(8);
constexpr Field kCols = kRow.above(8), kAddr = kCols.above(64);
}  // namespace tile_row

}  // namespace mxe::blame
