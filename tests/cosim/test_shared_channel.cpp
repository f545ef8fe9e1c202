// SPDX-License-Identifier: Apache-2.0
// A direction of a memory that several ports share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/engine/memory/shared_channel.h"
#include "model/numerics/base/random.h"

namespace mxe::test {
namespace {

constexpr unsigned kBeatBytes = 32;

engine::MemoryTiming timing(unsigned latency, double bytes_per_cycle = 0,
                            uint64_t jitter_seed = 0) {
  engine::MemoryTiming timing;
  timing.latency = latency;
  timing.bytes_per_cycle = bytes_per_cycle;
  timing.jitter_seed = jitter_seed;
  return timing;
}

TEST(SharedChannel, OnePortIsServedAsByAChannelOfItsOwn) {
  for (const double bandwidth : {0.0, 5.3, 32.0, 100.0}) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{7}}) {
      const engine::MemoryTiming times = timing(40, bandwidth, seed);
      engine::MemoryChannel own(times, 0);
      engine::SharedChannel granted(times, 0, 1, kBeatBytes), fitted(times, 0, 1, kBeatBytes);
      Random random(3);
      uint64_t issue = 0;
      for (int burst = 0; burst < 2000; burst++) {
        issue += random.uniform(0, 29);
        const uint64_t beats = random.uniform(1, 16);
        const engine::BeatTimes expected = own.serve(issue, beats, kBeatBytes);
        for (engine::SharedChannel* channel : {&granted, &fitted}) {
          const engine::BeatTimes got = channel == &granted ? channel->grant(0, issue, beats)
                                                            : channel->fit_in(0, issue, beats);
          for (uint64_t beat = 0; beat < beats; beat++) {
            ASSERT_EQ(got.beat(beat), expected.beat(beat)) << burst;
          }
          EXPECT_EQ(channel->waited(0), 0u);
        }
      }
    }
  }
}

/// Serves bursts of several ports in random order; returns their [first, end) cycles on the bus.
std::vector<std::pair<uint64_t, uint64_t>> random_bursts(engine::SharedChannel& channel,
                                                         unsigned ports) {
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  std::vector<uint64_t> issues(ports), ends(ports);
  Random random(5);
  for (int burst = 0; burst < 5000; burst++) {
    const auto port = static_cast<unsigned>(random.uniform(0, ports - 1));
    issues[port] += random.uniform(0, 39);
    const uint64_t beats = random.uniform(1, 16);
    const engine::BeatTimes times = channel.fit_in(port, issues[port], beats);
    EXPECT_GE(times.beat(0), issues[port]);
    EXPECT_GE(times.beat(0), ends[port]) << "a port's bursts come in order";
    ends[port] = times.beat(beats - 1) + 1;
    spans.emplace_back(times.beat(0), ends[port]);
  }
  std::sort(spans.begin(), spans.end());
  return spans;
}

TEST(SharedChannel, NoTwoBurstsAtATime) {
  engine::SharedChannel channel(timing(20), 0, 4, kBeatBytes);
  const auto spans = random_bursts(channel, 4);
  for (std::size_t i = 1; i < spans.size(); i++) {
    ASSERT_GE(spans[i].first, spans[i - 1].second) << i;
  }
}

TEST(SharedChannel, AWiderMemoryServesSeveralPortsAtATime) {
  engine::SharedChannel channel(timing(20, 2 * kBeatBytes), 0, 2, kBeatBytes);
  for (const unsigned port : {0u, 1u}) {
    const engine::BeatTimes times = channel.grant(port, 100, 8);
    EXPECT_EQ(times.beat(0), port == 0 ? 120u : 124u);
    EXPECT_EQ(times.beat(7), times.beat(0) + 7) << "a beat of the port each cycle";
  }
  EXPECT_EQ(channel.waited(0), 0u);
  EXPECT_EQ(channel.waited(1), 4u);
}

TEST(SharedChannel, WhatComesLateFitsInBefore) {
  engine::SharedChannel channel(timing(10), 0, 3, kBeatBytes);
  EXPECT_EQ(channel.fit_in(0, 100, 4).beat(0), 110u);
  EXPECT_EQ(channel.fit_in(1, 90, 4).beat(0), 100u) << "six cycles are free before 110";
  EXPECT_EQ(channel.fit_in(2, 90, 7).beat(0), 114u) << "too long for what is left of them";
  EXPECT_EQ(channel.fit_in(1, 90, 6).beat(0), 104u) << "just as long";
  EXPECT_EQ(channel.waited(0), 0u);
  EXPECT_EQ(channel.waited(2), 14u);
  EXPECT_EQ(channel.waited(1), 0u) << "its own burst was in the way";
}

TEST(SharedChannel, GrantsWaitWhileTheQueueIsLong) {
  engine::SharedChannel channel(timing(10), 0, 2, kBeatBytes);
  EXPECT_EQ(channel.grant_cycle(0, 5), 5u);
  channel.grant(0, 5, 16);  // the bus is busy in cycles 15 to 30
  EXPECT_EQ(channel.grant_cycle(1, 6), 21u);
  EXPECT_EQ(channel.grant_cycle(1, 30), 30u);
  EXPECT_EQ(channel.grant(1, 6, 1).beat(0), 31u);
  EXPECT_EQ(channel.waited(1), 15u);
}

}  // namespace
}  // namespace mxe::test
