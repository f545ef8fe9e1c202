// SPDX-License-Identifier: Apache-2.0
#include "model/engine/repetition.h"

#include <algorithm>

namespace mxe {
namespace {

uint64_t hash(const std::vector<uint64_t>& words) {
  uint64_t hash = words.size();
  for (const uint64_t word : words) hash = (hash ^ word ^ (hash >> 29)) * 0x9E3779B97F4A7C15u;
  return hash;
}

}  // namespace

void Repetition::clear() {
  for (Records& records : records_) records.clear();
}

std::optional<Repetition::Skip> Repetition::find(StateVisitor& visitor, uint64_t now,
                                                 uint64_t limit, const Counters::Values& counted) {
  const auto loop = static_cast<std::size_t>(visitor.loop());
  // Records made within one iteration of an outer loop say nothing about the next iteration.
  for (std::size_t inner = 0; inner < loop; inner++) records_[inner].clear();
  Records& records = records_[loop];
  if (records.size() >= kMaxRecords) records.clear();
  Record& present = records[hash(visitor.record().words)];
  const Record earlier = std::move(present);
  present = {std::move(visitor.record()), now, counted};
  const auto &before = earlier.state, &state = present.state;
  if (before.words != state.words || before.places.size() != state.places.size()) return {};

  // All walks through the loop must have moved equally far, and the skip must suit each of them.
  Skip skip;
  skip.cycles = now - earlier.cycle;
  skip.before = earlier.counted;
  skip.periods = limit <= now ? 0 : (limit - now) / skip.cycles;
  for (std::size_t i = 0; i < before.places.size(); i++) {
    const StateVisitor::Place &was = before.places[i], &is = state.places[i];
    if (i == 0) skip.iterations = is.iteration - was.iteration;
    if (is.iteration - was.iteration != skip.iterations || skip.iterations == 0) return {};
    skip.periods = std::min(skip.periods, is.room / skip.iterations);
  }
  if (before.places.empty() || skip.periods == 0) return {};
  records.clear();
  return skip;
}

}  // namespace mxe
