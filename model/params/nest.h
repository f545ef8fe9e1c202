// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe {

/// Sizes of a job's loop nest (docs/architecture.md), the only place of these rules in C++. In the
/// RTL: mxe_walk.sv, mxe_pkg.sv, mxe_datapath.sv.
struct LoopNest {
  /// Chunks and slabs that are not whole have a multiple of this many words, except the last of K.
  static constexpr uint32_t kWordUnit = 2;

  /// Size of the next part of a level with `left` items. A part has `most` items, except that the
  /// last two parts share their items about evenly; the first of them has a multiple of `unit`.
  /// Examples: 33 rows, most 32 -> 17, 16; 42 words, most 32, unit 2 -> 22, 20.
  static constexpr uint64_t next_part(uint64_t left, uint64_t most, uint64_t unit = 1) {
    if (left <= most) return left;
    if (left >= 2 * most) return most;
    return (left + 2 * unit - 1) / (2 * unit) * unit;
  }
  /// Fewest items of a part if a level has several parts, unit 1. Example: most 32 -> 16.
  static constexpr uint64_t smallest_part(uint64_t most) {
    return most + 1 - next_part(most + 1, most);
  }

  /// log2 of the factor by which the A chunk of a job of `m` rows is longer, because the rows use
  /// only a part of the A buffer. ROWS = 32: 16 rows -> 1, 8 rows -> 2, 4 rows -> 3.
  static constexpr unsigned chunk_shift(unsigned rows, uint64_t m) {
    return m <= rows / 8 ? 3 : m <= rows / 4 ? 2 : m <= rows / 2 ? 1 : 0;
  }
  static constexpr uint32_t chunk_words(const ParameterValues& params, uint64_t m) {
    return params.a_slab_k / kBlockSize << chunk_shift(params.rows, m);
  }

  /// True if two operand words of B, of `b_word_bytes` each in memory, share a word of the B
  /// buffer, so that a slab may have twice as many (slab_words()). Example: 4-bit B at the single
  /// rate, 16 bytes.
  static constexpr bool has_long_slabs(unsigned b_word_bytes) {
    return 2 * b_word_bytes <= kPlainWordBytes;
  }
  /// True if the tiles of a job of `m` rows may alternate passes, if B arrives fast enough.
  static constexpr bool may_be_wide(const ParameterValues& params, uint64_t m) {
    return params.acc_tiles > 1 && params.b_buf_k > kBlockSize && m < kMinPass;
  }
  /// True if tiles are wide, two side by side. A pass over fewer than kMinPass rows waits for its
  /// accumulators; if B arrives faster than that, two tiles alternate passes. Example: 4 rows, 8
  /// columns of 32 bytes: wide with 64 bytes a cycle (4 cycles), not with 32 (8 cycles).
  static constexpr bool is_wide(const ParameterValues& params, uint64_t m, unsigned b_word_bytes) {
    return may_be_wide(params, m) && params.num_pe * b_word_bytes < kMinPass * (params.mem_w / 8);
  }
  /// Operand words of a whole slab. A long slab has twice as many if they fit into a chunk of ROWS
  /// rows; a slab of a wide tile has half as many, because each bank serves as two.
  static constexpr uint32_t slab_words(const ParameterValues& params, bool wide, bool long_slabs) {
    const uint32_t words = params.b_buf_k / kBlockSize;
    const bool twice = long_slabs && 2 * words <= params.a_slab_k / kBlockSize;
    return (twice ? 2 * words : words) / (wide ? 2 : 1);
  }

  static constexpr uint32_t tile_columns(const ParameterValues& params, bool wide) {
    return wide ? 2 * params.num_pe : params.num_pe;
  }
  static constexpr uint32_t group_columns(const ParameterValues& params) {
    return params.num_pe * params.acc_tiles;
  }
  /// Most tiles, of NUM_PE columns each, of the next group if `columns` are left. The last two
  /// groups share their tiles, but not if tiles are wide.
  static constexpr uint32_t group_tiles(unsigned num_pe, unsigned acc_tiles, uint64_t columns,
                                        bool wide) {
    if (wide || columns <= num_pe * acc_tiles) return acc_tiles;
    return static_cast<uint32_t>(next_part((columns - 1) / num_pe + 1, acc_tiles));
  }
};

}  // namespace mxe
