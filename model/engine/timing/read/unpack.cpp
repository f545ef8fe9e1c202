// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/read/unpack.h"

#include <algorithm>

#include "model/params/hardware.h"

namespace mxe::engine {

void Unpack::begin(unsigned offset, uint32_t bytes, unsigned word_bytes) {
  offset_ = offset;
  bytes_ = bytes;
  word_bytes_ = word_bytes;
  beat_ = 0;
  // There is room for the first beat in the cycle in which the last word before it leaves.
  fetch_cycle_ = last_word_;
  if (word_cycles_.size() < bytes) word_cycles_.resize(bytes);  // a word has a byte or more
  words_ = 0;
  word_end_ = std::min(word_bytes, bytes);
  gone_ = 0;
  gone_end_ = word_bytes;
}

/// First cycle in which the queue has room for a beat: enough words must have left that at most
/// most_ bytes remain.
uint64_t Unpack::accept_cycle(unsigned beat) {
  if (beat == 0) return fetch_cycle_;
  const uint32_t arrived = beat * beat_bytes_ - offset_;
  if (arrived <= most_) return 0;
  for (; gone_end_ < arrived - most_; gone_end_ += word_bytes_) gone_++;
  return word_cycles_[gone_];
}

uint64_t Unpack::beats(const BeatTimes& times, unsigned count) {
  take(times.beat(0));
  const uint64_t first = last_beat_;
  unsigned i = 1;
  if (count > 2 && word_bytes_ == beat_bytes_ && times.one_a_cycle()) {
    stream(count - 2);
    i = count - 1;
  }
  for (; i < count; i++) take(times.beat(i));
  return first;
}

/// Takes the next beat of the row fetch, which the memory offers from `offered` on.
void Unpack::take(uint64_t offered) {
  const uint64_t cycle = std::max({offered, next_beat_, accept_cycle(beat_)});
  last_beat_ = cycle;
  next_beat_ = cycle + 1;
  beat_++;
  const uint32_t arrived = std::min(bytes_, beat_ * beat_bytes_ - offset_);
  while (word_end_ <= arrived) {
    last_word_ = std::max(last_word_ + 1, cycle + 1);
    word_cycles_[words_++] = last_word_;
    // The last word may be short.
    word_end_ = word_end_ == bytes_ ? kNoWord : std::min(word_end_ + word_bytes_, bytes_);
  }
}

/// Takes `count` beats that are neither the first nor the last of a row fetch, a beat a cycle.
/// Words have the size of beats: each beat completes one, which leaves the cycle after, so that
/// there is always room for the next.
void Unpack::stream(unsigned count) {
  for (unsigned i = 0; i < count; i++) word_cycles_[words_++] = ++next_beat_;
  beat_ += count;
  last_beat_ = next_beat_ - 1;
  last_word_ = next_beat_;
  word_end_ = std::min(word_end_ + count * word_bytes_, bytes_);
}

std::array<uint8_t, kPlainWordBytes> Unpack::word(const uint8_t* data, uint32_t bytes,
                                                  unsigned word_bytes, unsigned index) {
  std::array<uint8_t, kPlainWordBytes> word{};
  const uint32_t first = index * word_bytes;
  std::copy_n(data + first, std::min(bytes - first, word_bytes), word.begin());
  return word;
}

void Unpack::clear(uint64_t cycle) {
  fetch_cycle_ = next_beat_ = cycle;
  last_beat_ = last_word_ = cycle == 0 ? 0 : cycle - 1;
}

}  // namespace mxe::engine
