// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/mixed_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace mxe::explore {
namespace {

using Layers = std::vector<std::vector<FormatCost>>;

Layers random_layers(std::mt19937& draw, std::size_t layers, std::size_t choices) {
  Layers all(layers);
  for (auto& layer : all) {
    for (std::size_t i = 0; i < choices; i++) {
      // Few distinct cycles give ties; the noises add without rounding.
      layer.push_back({1 + draw() % 12, static_cast<double>(1 + draw() % 4096) / 65536});
    }
  }
  return all;
}

std::vector<Mixture> all_mixtures(const Layers& layers) {
  std::vector<Mixture> all;
  std::vector<std::size_t> choice(layers.size());
  for (;;) {
    Mixture one{0, 0, choice};
    for (std::size_t i = 0; i < layers.size(); i++) {
      one.cycles += layers[i][choice[i]].cycles;
      one.noise += layers[i][choice[i]].noise;
    }
    all.push_back(one);
    std::size_t digit = 0;
    while (digit < layers.size() && ++choice[digit] == layers[digit].size()) choice[digit++] = 0;
    if (digit == layers.size()) return all;
  }
}

bool beats(const Mixture& a, const Mixture& b) {
  return a.cycles <= b.cycles && a.noise <= b.noise && (a.cycles < b.cycles || a.noise < b.noise);
}

void expect_sums(const Layers& layers, const Mixture& one) {
  ASSERT_EQ(one.choice.size(), layers.size());
  Mixture sums;
  for (std::size_t i = 0; i < layers.size(); i++) {
    sums.cycles += layers[i].at(one.choice[i]).cycles;
    sums.noise += layers[i].at(one.choice[i]).noise;
  }
  EXPECT_EQ(one.cycles, sums.cycles);
  EXPECT_EQ(one.noise, sums.noise);
}

TEST(MixedFormats, TheFrontIsThatOfAllMixtures) {
  std::mt19937 draw(18);
  for (int round = 0; round < 200; round++) {
    SCOPED_TRACE(round);
    const Layers layers = random_layers(draw, 1 + draw() % 5, 1 + draw() % 4);
    const MixedFront front = mix_formats(layers);
    EXPECT_TRUE(front.exact);
    for (const Mixture& one : front.mixtures) expect_sums(layers, one);
    std::size_t expected = 0;
    std::vector<Mixture> different;
    for (const Mixture& one : all_mixtures(layers)) {
      bool best = true, seen = false;
      for (const Mixture& found : front.mixtures) best = best && !beats(found, one);
      if (!best) continue;
      for (const Mixture& found : front.mixtures) {
        seen = seen || (found.cycles == one.cycles && found.noise == one.noise);
      }
      EXPECT_TRUE(seen) << one.cycles << " cycles, noise " << one.noise;
      bool is_new = true;
      for (const Mixture& other : different) is_new = is_new && other.cycles != one.cycles;
      if (is_new) different.push_back(one);
      expected += is_new ? 1 : 0;
    }
    EXPECT_EQ(front.mixtures.size(), expected);
  }
}

TEST(MixedFormats, TheHullIsBestForEveryPrice) {
  std::mt19937 draw(19);
  for (int round = 0; round < 100; round++) {
    SCOPED_TRACE(round);
    const Layers layers = random_layers(draw, 1 + draw() % 5, 1 + draw() % 4);
    const std::vector<Mixture> hull = mixed_hull(layers), all = all_mixtures(layers);
    for (double price = 1; price < 1e5; price *= 1.3) {
      const auto least = [&](const std::vector<Mixture>& mixtures) {
        double cost = INFINITY;
        for (const Mixture& one : mixtures) {
          cost = std::min(cost, static_cast<double>(one.cycles) + price * one.noise);
        }
        return cost;
      };
      EXPECT_DOUBLE_EQ(least(hull), least(all)) << price;
    }
    for (std::size_t i = 0; i < hull.size(); i++) {
      expect_sums(layers, hull[i]);
      if (i > 0) {
        EXPECT_LT(hull[i].noise, hull[i - 1].noise);
      }
    }
  }
}

// With more partial mixtures than are kept: both ends are exact, and none is worse than the hull.
TEST(MixedFormats, ThinnedFrontsAreNearlyAsGood) {
  std::mt19937 draw(20);
  Layers layers(12);
  for (auto& layer : layers) {
    for (int i = 0; i < 4; i++) {
      const uint64_t cycles = 1 + draw() % 100000;
      layer.push_back({cycles, static_cast<double>(65536 + draw() % 4096 - cycles / 2) / 65536});
    }
  }
  const MixedFront exact = mix_formats(layers, 1U << 20), thinned = mix_formats(layers, 64);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(thinned.exact);
  EXPECT_GT(exact.mixtures.size(), 200u);
  EXPECT_EQ(thinned.mixtures.front().cycles, exact.mixtures.front().cycles);
  EXPECT_EQ(thinned.mixtures.back().noise, exact.mixtures.back().noise);
  for (const Mixture& one : thinned.mixtures) {
    expect_sums(layers, one);
    for (const Mixture& best : exact.mixtures) EXPECT_FALSE(beats(one, best));
  }
  for (const Mixture& corner : mixed_hull(layers)) {
    for (const Mixture& one : thinned.mixtures) EXPECT_FALSE(beats(corner, one));
  }
}

TEST(MixedFormats, PossibleChoicesAreThoseOfAllMixtures) {
  std::mt19937 draw(21);
  std::size_t possible = 0, impossible = 0;
  for (int round = 0; round < 300; round++) {
    SCOPED_TRACE(round);
    const Layers layers = random_layers(draw, 1 + draw() % 5, 1 + draw() % 4);
    const std::vector<Mixture> all = all_mixtures(layers);
    const double limit = all[draw() % all.size()].noise;  // one mixture meets it exactly
    std::vector<std::vector<bool>> expected;
    for (const auto& layer : layers) expected.emplace_back(layer.size());
    for (const Mixture& one : all) {
      if (one.noise > limit) continue;
      for (std::size_t i = 0; i < layers.size(); i++) expected[i][one.choice[i]] = true;
    }
    EXPECT_EQ(possible_choices(layers, limit), expected);
    for (const auto& layer : expected) {
      for (const bool one : layer) (one ? possible : impossible)++;
    }
  }
  EXPECT_GT(possible, 100u);
  EXPECT_GT(impossible, 100u);
}

}  // namespace
}  // namespace mxe::explore
