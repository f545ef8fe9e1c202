// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/engine/memory/memory_timing.h"
#include "model/engine/skipping/state.h"

namespace mxe::engine {

/// Unpacker (mxe_unpack): the times at which the read beats of each row fetch are accepted, and at
/// which the words made of them leave, one per cycle, or two. A queue of one beat plus `most` bytes
/// holds the bytes that have not left.
class Unpack {
 public:
  /// `most`: bytes that leave in a cycle, at most.
  explicit Unpack(unsigned beat_bytes, unsigned most = kPlainWordBytes)
      : beat_bytes_(beat_bytes), most_(most) {}

  /// A row fetch of `bytes` bytes begins, `offset` bytes into its first beat. `word_bytes` leave at
  /// a time: those of a word, or of two.
  void begin(unsigned offset, uint32_t bytes, unsigned word_bytes);
  /// The memory offers the next `count` beats of that fetch at `times`. Returns the cycle in which
  /// the first of them is accepted.
  uint64_t beats(const BeatTimes& times, unsigned count);

  /// Cycle in which the last beat so far is accepted.
  uint64_t last_beat() const { return last_beat_; }
  /// Cycle in which the last word so far leaves.
  uint64_t last_word() const { return last_word_; }

  /// Word number `index` of a row fetch of `bytes` bytes, zeros behind its end.
  static std::array<uint8_t, kPlainWordBytes> word(const uint8_t* data, uint32_t bytes,
                                                   unsigned word_bytes, unsigned index);

  /// Nothing is under way any more; the unpacker accepts again from `cycle` on.
  void clear(uint64_t cycle);
  /// May be called between two row fetches.
  void visit(StateVisitor& visitor) {
    for (uint64_t* time : {&fetch_cycle_, &next_beat_, &last_beat_, &last_word_}) {
      visitor.cycle(*time);
    }
  }

 private:
  static constexpr uint32_t kNoWord = ~uint32_t{0};

  uint64_t accept_cycle(unsigned beat);
  void take(uint64_t offered);
  void stream(unsigned count);

  unsigned beat_bytes_, most_;
  unsigned offset_ = 0, word_bytes_ = 1;
  uint32_t bytes_ = 0;
  uint32_t word_end_ = kNoWord;       // bytes of the row fetch up to the end of the next word
  uint32_t gone_ = 0, gone_end_ = 0;  // the word that leaves room for the next beat, and its end
  unsigned beat_ = 0;                 // index of the next beat in the row fetch, from 0
  uint64_t fetch_cycle_ = 0;          // first cycle for the first beat of the row fetch
  uint64_t next_beat_ = 0;            // the cycle after the last beat
  uint64_t last_beat_ = 0, last_word_ = 0;
  std::vector<uint64_t> word_cycles_;  // when each word of the row fetch leaves
  uint32_t words_ = 0;                 // of them so far
};

}  // namespace mxe::engine
