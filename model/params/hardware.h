// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/params/params.h"

namespace mxe {

// Constants of the datapath. Each has the value of the RTL's constant that its comment names.

inline constexpr unsigned kLanes = 32;  ///< elements of a block, multipliers of a PE

/// Stages between a row's issue and the read of its accumulator: decode, multiply, tree 1, tree 2,
/// combine (DOT_LAT).
inline constexpr unsigned kDotLatency = 5;
/// Stages of the accumulator after that: align, add, magnitude, coarse and fine normalise, round
/// (ACC_LAT).
inline constexpr unsigned kAccLatency = 6;
/// Shortest pass, so that a row finds its accumulator written by the pass before (MIN_PASS).
inline constexpr unsigned kMinPass = kAccLatency + 1;

/// Most row fetches under way on the read port (rd_outstanding): more where a port brings a short
/// row in a cycle. One of A is accepted only while those under way have fewer beats than
/// kReadABeats (RD_A_BEATS).
inline constexpr unsigned kMostReadOutstanding = 128;
inline constexpr unsigned kReadABeats = 256;
/// Most bursts under way on each port (RD_BURSTS, WR_OUTSTANDING).
inline constexpr unsigned kReadBursts = 4095;
inline constexpr unsigned kWriteBursts = 256;
/// Descriptors read ahead of the one that is looked at (DESC_AHEAD), and jobs that have been
/// computed and are not complete (RECORDS).
inline constexpr unsigned kDescriptorsAhead = 2;
inline constexpr unsigned kRecords = 4;
/// Rows, and bursts, accepted by the write port and not yet sent (WR_QUEUE).
inline constexpr unsigned kWriteQueue = 16;
/// Results between the drain and the write port (FifoDepth in mxe_drain).
inline constexpr unsigned kDrainFifo = 16;

/// Cycles from a segment's read in the requantiser to its codes: read, normalise, place, shift,
/// round (REQUANT_LAT); and encoded rows that wait for the write port (REQUANT_FIFO).
inline constexpr unsigned kRequantLatency = 5;
inline constexpr unsigned kRequantFifo = 4;
/// Blocks of columns collected and not yet encoded.
inline constexpr unsigned kCollected = 2;

/// Bytes of a word as it leaves the unpacker, unless it is one of 6-bit elements.
inline constexpr unsigned kPlainWordBytes = 32;

/// The number of row fetches that this engine has under way.
inline unsigned read_outstanding(const Params& params) {
  return params.mem_bytes() > kPlainWordBytes ? kMostReadOutstanding : 64;
}
/// Fewest words of a slab where the unpacker hands elements on two words at a time.
inline constexpr unsigned kFewestWordsOfTwo = 3;
/// Whether the unpacker hands elements on two words at a time (TwoWords in mxe_datapath).
inline bool takes_two_words(const Params& params) {
  return params.mem_bytes() > kPlainWordBytes && params.a_slab_k > kLanes &&
         params.b_buf_k >= kFewestWordsOfTwo * kLanes;
}

/// The A chunk of a job of `m` rows is twice, four or eight times as long if the rows leave that
/// much of the A buffer unused: the exponent of that factor (lent in mxe_pkg).
constexpr unsigned lent(unsigned rows, uint32_t m) {
  return m <= rows / 8 ? 3 : m <= rows / 4 ? 2 : m <= rows / 2 ? 1 : 0;
}

/// Columns of B that are read and decoded per clock (feed_cols in mxe_pkg).
constexpr unsigned feed_cols(unsigned num_pe) { return num_pe > 1 ? 2 : 1; }

/// Banks of the buffers of A and of the bias in the RTL, and the most that a loader may have here.
inline constexpr unsigned kBanks = 2, kMaxBanks = 16;

inline constexpr uint64_t kPageBytes = 4096;  ///< no AXI burst crosses such a boundary
inline constexpr unsigned kFloatBytes = 4, kBfloat16Bytes = 2;

/// A cycle that never comes.
inline constexpr uint64_t kNever = ~uint64_t{0};

/// The last N values of a sequence, by their positions in it.
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
  /// Calls `action` with the values that are kept, newest first.
  template <class Action>
  void for_each(const Action& action) {
    for_last(N, action);
  }
  /// Of the last `count` values only.
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
