// SPDX-License-Identifier: Apache-2.0
#include "model/engine/skipping/repetition.h"

#include <algorithm>
#include <utility>

namespace mxe::engine {
namespace {

uint64_t hash(const std::vector<uint64_t>& words) {
  uint64_t hash = words.size();
  for (const uint64_t word : words) hash = (hash ^ word ^ (hash >> 29)) * 0x9E3779B97F4A7C15u;
  return hash;
}

}  // namespace

void Repetition::Records::clear() {
  if (count == 0) return;
  count = 0;
  latest.clear();
}

void Repetition::clear() {
  for (Records& records : records_) records.clear();
}

std::optional<Repetition::Skip> Repetition::skip_between(const Record& before, const Record& is,
                                                         uint64_t limit) {
  const auto &was_places = before.state.places, &places = is.state.places;
  if (places.empty() || was_places.size() != places.size()) return {};
  // All walks must have advanced by the same number of iterations, and the skip must fit each.
  Skip skip;
  skip.cycles = is.cycle - before.cycle;
  skip.before = before.counted;
  skip.iterations = places[0].iteration - was_places[0].iteration;
  if (skip.iterations == 0) return {};
  skip.periods = limit <= is.cycle ? 0 : (limit - is.cycle) / skip.cycles;
  for (std::size_t i = 0; i < places.size(); i++) {
    if (places[i].iteration - was_places[i].iteration != skip.iterations) return {};
    skip.periods = std::min(skip.periods, places[i].room / skip.iterations);
  }
  if (skip.periods == 0) return {};
  return skip;
}

std::optional<Repetition::Skip> Repetition::find(StateVisitor& visitor, uint64_t now,
                                                 uint64_t limit, const CounterArray& counted) {
  const auto loop = static_cast<std::size_t>(visitor.loop());
  // Records of inner loops are invalid once an outer loop advances.
  for (std::size_t inner = 0; inner < loop; inner++) records_[inner].clear();
  Records& records = records_[loop];
  if (records.count >= kMaxRecords) records.clear();
  if (records.count == records.all.size()) records.all.emplace_back();
  const std::size_t number = records.count++;
  Record& present = records.all[number];
  spare_ = std::move(present.state);
  present.state = std::move(visitor.record());
  present.cycle = now;
  present.counted = counted;

  const std::vector<uint64_t>& words = present.state.words;
  const auto latest = records.latest.try_emplace(hash(words), number);
  if (latest.second) return {};
  const Record& before = records.all[std::exchange(latest.first->second, number)];
  if (before.state.words != words) return {};
  const std::optional<Skip> skip = skip_between(before, present, limit);
  if (skip) records.clear();
  return skip;
}

}  // namespace mxe::engine
