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
struct AxiFields {
  static constexpr Field kLen{0, 8}, kAddr = kLen.above(64),
                                     kAddrValid = kAddr.above(1);  // axi_addr_t
  static constexpr Field kBError{0, 1}, kBValid = kBError.above(1),
                                        kWReady = kBValid.above(1);  // axi_in_t
  static constexpr Field kAwReady = kWReady.above(1);
};

struct FetchFields {
  static constexpr unsigned kIndexWidth = 8;  // the highest bits of a tag: the row or column
  static constexpr Field kTag{0, 18}, kBytes = kTag.above(18), kAddr = kBytes.above(64);
  static constexpr Field kValid = kAddr.above(1);
};

struct PendingFields {
  static constexpr Field kTag{0, 18}, kBytes = kTag.above(18), kOffset = kBytes.above(6);
};

struct WordFields {
  static constexpr Field kData{0, 512}, kLast = kData.above(1), kIndex = kLast.above(12);
  static constexpr Field kTag = kIndex.above(18), kValid = kTag.above(1);
};

struct WriteFields {
  static constexpr Field kData{0, 512}, kDataValid = kData.above(1), kFollows = kDataValid.above(1);
  static constexpr Field kJoins = kFollows.above(1), kRecord = kJoins.above(1),
                         kScale = kRecord.above(1);
  static constexpr Field kHalf = kScale.above(1), kBytes = kHalf.above(18),
                         kAddr = kBytes.above(64);
  static constexpr Field kValid = kAddr.above(1);
};

struct ShapeFields {
  static constexpr Field kChunkShift{0, 2}, kLongSlabs = kChunkShift.above(1),
                                            kWide = kLongSlabs.above(1);
  static constexpr Field kSkipGroup = kWide.above(1), kKWords = kSkipGroup.above(29);
  static constexpr Field kN = kKWords.above(32), kM = kN.above(32), kBatch = kM.above(16);
};

struct StepFields {
  static constexpr Field kNext{0, 6}, kLastUse = kNext.above(1), kLastK = kLastUse.above(1);
  static constexpr Field kFirstK = kLastK.above(1), kChunkWords = kFirstK.above(13);
  static constexpr Field kWords = kChunkWords.above(13), kTile = kWords.above(4);
  static constexpr Field kCols = kTile.above(8), kRows = kCols.above(9);
};

struct MatrixFields {
  static constexpr Field kOneRow{0, 1}, kTwoBytes = kOneRow.above(1), kStride = kTwoBytes.above(32);
  static constexpr Field kAddr = kStride.above(64), kN = kAddr.above(32), kM = kN.above(32);
  static constexpr Field kBatch = kM.above(16);
};

struct TileRowFields {
  static constexpr Field kLastTile{0, 1}, kLastRow = kLastTile.above(1), kRow = kLastRow.above(8);
  static constexpr Field kCols = kRow.above(8), kAddr = kCols.above(64);
};

}  // namespace mxe::blame
