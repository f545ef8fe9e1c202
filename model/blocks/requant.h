// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "model/blocks/amax.h"
#include "model/blocks/narrow.h"
#include "model/blocks/requant_lane.h"
#include "model/blocks/requant_scale.h"

namespace mxe::blocks {

/// The arithmetic of mxe_requant and mxe_collect: encodes up to 32 results of a row as an MX block.
/// The largest magnitude selects the scale; then the lanes encode one segment at a time.
struct Requant {
  Amax amax;                   ///< of the last segment
  uint32_t ramax = 0;          ///< amax of the block
  std::vector<Narrow> narrow;  ///< of the last segment
  RequantScale scale;
  std::vector<RequantLane> lane;           ///< of the last segment
  std::array<uint8_t, kBlockSize> pack{};  ///< pack_d: the codes, packed from bit 0
  uint32_t over = 0;                       ///< bit per column: rounds beyond the largest element

  explicit Requant(unsigned segment_lanes = 1)
      : amax(segment_lanes), narrow(segment_lanes), lane(segment_lanes) {}

  /// `x`: 32 binary32 numbers, zeros from `columns` on.
  void evaluate(const uint32_t* x, unsigned columns, const FmtInfo& fmt, Rule rule, bool special) {
    find_scale(x, columns, fmt, rule);
    for (unsigned first = 0; first < columns; first += segment_lanes()) {
      encode_segment(x, first, columns, fmt, special);
    }
  }
  unsigned segment_lanes() const { return static_cast<unsigned>(lane.size()); }
  void find_scale(const uint32_t* x, unsigned columns, const FmtInfo& fmt, Rule rule) {
    ramax = 0;
    for (unsigned first = 0; first < columns; first += segment_lanes()) {
      const uint32_t segment = amax.evaluate(x + first);
      if (first == 0 || segment > ramax) ramax = segment;
    }
    scale.evaluate(ramax, fmt, rule);
    pack.fill(0);
    over = 0;
  }
  void encode_segment(const uint32_t* x, unsigned first, unsigned columns, const FmtInfo& fmt,
                      bool special) {
    const unsigned bits = fmt.is4 ? 4 : fmt.is6 ? 6 : 8;
    for (unsigned i = 0; i < segment_lanes() && first + i < columns; i++) {
      const unsigned column = first + i;
      lane[i].evaluate(narrow[i].evaluate(x[column]), scale.scale_o, fmt, special);
      over |= uint32_t{lane[i].over_o} << column;
      put(lane[i].code_o, column * bits, bits);
    }
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    v.enter("collect");
    show_block(v, "amax", amax);
    show(v, "ramax_o", kAmaxWidth, ramax);
    for (unsigned i = 0; i < narrow.size(); i++) show_block(v, "narrow", i, narrow[i]);
    v.leave();
    show_block(v, "scale", scale);
    for (unsigned i = 0; i < lane.size(); i++) show_block(v, "lane", i, lane[i]);
    for (unsigned i = 0; i < 2; i++) {
      v.enter("pack_d", i);
      show(v, "half", 128, half_of(pack, i));
      v.leave();
    }
  }

 private:
  void put(uint32_t code, unsigned bit, unsigned bits) {
    const uint32_t placed = slice(code, 0, bits) << bit % 8;
    pack[bit / 8] = static_cast<uint8_t>(pack[bit / 8] | placed);
    if (bit % 8 + bits > 8) {
      pack[bit / 8 + 1] = static_cast<uint8_t>(pack[bit / 8 + 1] | placed >> 8);
    }
  }
};

}  // namespace mxe::blocks
