// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/numerics/base/block_size.h"
#include "model/params/params.h"

namespace mxe {

// Constants of the engine. A name in brackets is the RTL's constant with the same value.

/// Stages from a row's issue to its accumulator's read: decode, multiply, tree 1, 2, combine
/// (DOT_LAT).
inline constexpr unsigned kDotLatency = 5;
/// Stages of the accumulator: align, add, magnitude, coarse and fine normalise, round (ACC_LAT).
inline constexpr unsigned kAccLatency = 6;
/// Shortest pass in cycles, so that a row finds its accumulator written by the pass before
/// (MIN_PASS).
inline constexpr unsigned kMinPass = kAccLatency + 1;

/// Further stages of an NVFP4 job: product of sums and scales, sum of blocks (SCALED_LAT).
inline constexpr unsigned kScaledLatency = 2;
/// Stages of the factor ALPHA (ALPHA_LAT).
inline constexpr unsigned kAlphaLatency = 5;
/// Bits of the sum of a step of NVFP4 (SCALED_SUM_W).
inline constexpr unsigned kScaledSumBits = 50;
/// True if the engine multiplies NVFP4.
inline bool has_nvfp4(const Params& params) {
  return params.nvfp4 != 0 && params.tree_w >= kScaledSumBits;
}
/// Most scales of an operand word.
inline unsigned most_word_scales(const Params& params) { return has_nvfp4(params) ? 4 : 2; }

/// Limit of outstanding row fetches of ports wider than 32 bytes (rd_outstanding). Unless A has
/// priority, a row of A is accepted only while the outstanding rows of A have fewer than
/// kReadABeats beats (RD_A_BEATS).
inline constexpr unsigned kMostReadOutstanding = 128;
inline constexpr unsigned kReadABeats = 256;
/// Most outstanding bursts of the read port (RD_BURSTS) and of the write port (WR_OUTSTANDING).
inline constexpr unsigned kReadBursts = 4095;
inline constexpr unsigned kWriteBursts = 256;
/// Most descriptors fetched early, in addition to that at the output of mxe_desc (DESC_AHEAD). Most
/// computed jobs not yet completed (RECORDS).
inline constexpr unsigned kDescriptorsAhead = 2;
inline constexpr unsigned kRecords = 4;
/// Most rows, and most bursts, accepted by the write port but not yet sent (WR_QUEUE).
inline constexpr unsigned kWriteQueue = 16;
/// Segments of results in the queue from drain to write port, at most (FifoDepth in mxe_drain).
inline constexpr unsigned kDrainFifo = 16;

/// Cycles from the requantiser's read of a segment to its codes: read, normalise, place, shift,
/// round (REQUANT_LAT). Encoded rows in the FIFO to the write port (REQUANT_FIFO).
inline constexpr unsigned kRequantLatency = 5;
inline constexpr unsigned kRequantFifo = 4;
/// Banks of the requantiser, of max(32, NUM_PE) columns: it fills one while it encodes the other.
inline constexpr unsigned kCollected = 2;

/// Bytes that the unpacker outputs at a time: a word of 8-bit elements or of the dual rate, or two
/// other words of 4-bit elements. A word of 6-bit elements has 24.
inline constexpr unsigned kPlainWordBytes = 32;

/// Limit of outstanding row fetches: 128 for ports wider than 32 bytes, else 64.
inline unsigned read_outstanding(const Params& params) {
  return params.mem_bytes() > kPlainWordBytes ? kMostReadOutstanding : 64;
}
inline constexpr unsigned kFewestWordsOfTwo = 3;
/// True if the unpacker outputs two words per cycle (TwoWords in mxe_datapath).
inline bool takes_two_words(const Params& params) {
  return params.mem_bytes() > kPlainWordBytes && params.a_slab_k > kBlockSize &&
         params.b_buf_k >= kFewestWordsOfTwo * kBlockSize;
}

/// Columns of B that are read and decoded per cycle (feed_cols in mxe_pkg).
constexpr unsigned feed_cols(unsigned num_pe) { return num_pe > 1 ? 2 : 1; }

/// Banks of the buffers of A and of the bias in the RTL. Most banks of a loader here: with wide
/// tiles each of up to 8 serves as two.
inline constexpr unsigned kBanks = 2, kMaxBanks = 16;

/// Most cycles by which an abort on the model may be longer or shorter than on the RTL: operand
/// words in outstanding row fetches, which may wait for the unpacker (docs/model.md). Example: 64
/// row fetches of 4 words on `small` are 256 cycles.
inline unsigned abort_bound(const Params& params) {
  return std::max(read_outstanding(params), kBanks * params.rows) * params.a_slab_k / kBlockSize;
}

inline constexpr uint64_t kPageBytes = 4096;  ///< no AXI burst crosses a multiple of 4096
inline constexpr unsigned kFloatBytes = 4, kBfloat16Bytes = 2;

/// Cycle of an event that does not occur, or is not yet known.
inline constexpr uint64_t kNever = ~uint64_t{0};

/// The last N values of a sequence, by index in the sequence.
template <class T, std::size_t N>
class History {
 public:
  void push(const T& value) { values_[count_++ % N] = value; }
  uint64_t count() const { return count_; }
  /// Value number `i`, which must be one of the last N.
  const T& operator[](uint64_t i) const { return values_[i % N]; }
  const T& back() const { return values_[(count_ - 1) % N]; }
  /// The value `n` before the next one, or `none` if there are not that many yet. n is 1 to N.
  T ago(uint64_t n, T none) const { return count_ < n ? none : values_[(count_ - n) % N]; }
  uint64_t& ago(uint64_t n) { return values_[(count_ - n) % N]; }
  /// Calls `action` with the last N values, newest first.
  template <class Action>
  void for_each(const Action& action) {
    for_last(N, action);
  }
  /// As for_each(), for the last `count` values, at most N.
  template <class Action>
  void for_last(uint64_t count, const Action& action) {
    for (uint64_t n = 1; n <= N && n <= count_ && n <= count; n++) {
      action(values_[(count_ - n) % N]);
    }
  }

 private:
  std::array<T, N> values_{};
  uint64_t count_ = 0;
};

}  // namespace mxe
