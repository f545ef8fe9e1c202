// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/mixed_formats.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace mxe::explore {
namespace {

using Choices = std::vector<FormatCost>;

// A mixture of n layers: the index of one of n - 1 layers (`before`), and a choice for layer n.
struct Partial {
  uint64_t cycles = 0;
  double noise = 0;
  std::size_t before = 0, choice = 0;
};

bool faster(const Partial& a, const Partial& b) {
  return std::tie(a.cycles, a.noise, a.before, a.choice) <
         std::tie(b.cycles, b.noise, b.before, b.choice);
}

void keep_best(std::vector<Partial>& all) {
  std::sort(all.begin(), all.end(), faster);
  std::vector<Partial> best;
  for (const Partial& one : all) {
    if (best.empty() || one.noise < best.back().noise) best.push_back(one);
  }
  all = std::move(best);
}

void thin(std::vector<Partial>& front, std::size_t most) {
  const uint64_t first = front.front().cycles;
  const double range = static_cast<double>(front.back().cycles - first) / static_cast<double>(most);
  const auto place = [&](const Partial& one) {
    return std::floor(static_cast<double>(one.cycles - first) / range);
  };
  std::vector<Partial> kept{front.front()};
  for (std::size_t i = 1; i < front.size(); i++) {
    if (i + 1 == front.size() || place(front[i]) != place(front[i + 1])) kept.push_back(front[i]);
  }
  front = std::move(kept);
}

std::vector<Partial> single(const Choices& choices) {
  std::vector<Partial> all;
  for (std::size_t i = 0; i < choices.size(); i++) {
    all.push_back({choices[i].cycles, choices[i].noise, 0, i});
  }
  keep_best(all);
  return all;
}

std::vector<Partial> hull_of(const std::vector<Partial>& front) {
  std::vector<Partial> hull;
  for (const Partial& one : front) {
    while (hull.size() > 1) {
      const Partial& a = hull[hull.size() - 2];
      const Partial& b = hull.back();
      const auto run_b = static_cast<double>(b.cycles - a.cycles);
      const auto run_one = static_cast<double>(one.cycles - a.cycles);
      if ((a.noise - b.noise) * run_one > (a.noise - one.noise) * run_b) break;
      hull.pop_back();
    }
    hull.push_back(one);
  }
  return hull;
}

// Adds noise in the order of the layers, so that sums of equal choices are equal.
Mixture mixture_of(const std::vector<Choices>& layers, std::vector<std::size_t> choice) {
  Mixture mixture;
  for (std::size_t i = 0; i < layers.size(); i++) {
    mixture.cycles += layers[i][choice[i]].cycles;
    mixture.noise += layers[i][choice[i]].noise;
  }
  mixture.choice = std::move(choice);
  return mixture;
}

std::vector<Mixture> undominated(std::vector<Mixture> all) {
  std::sort(all.begin(), all.end(), [](const Mixture& a, const Mixture& b) {
    return std::tie(a.cycles, a.noise, a.choice) < std::tie(b.cycles, b.noise, b.choice);
  });
  std::vector<Mixture> best;
  for (Mixture& one : all) {
    if (best.empty() || one.noise < best.back().noise) best.push_back(std::move(one));
  }
  return best;
}

}  // namespace

double Mixture::sqnr_db() const { return -10 * std::log10(noise); }

std::vector<Mixture> mixed_hull(const std::vector<Choices>& layers) {
  struct Step {
    std::size_t layer, choice;
    double saved;  // noise per cycle
  };
  std::vector<Step> steps;
  std::vector<std::size_t> choice;
  for (std::size_t layer = 0; layer < layers.size(); layer++) {
    const std::vector<Partial> hull = hull_of(single(layers[layer]));
    choice.push_back(hull.front().choice);
    for (std::size_t i = 1; i < hull.size(); i++) {
      steps.push_back({layer, hull[i].choice,
                       (hull[i - 1].noise - hull[i].noise) /
                           static_cast<double>(hull[i].cycles - hull[i - 1].cycles)});
    }
  }
  // A layer's steps along its hull save ever less noise per cycle, so sorting keeps their order.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.saved > b.saved; });
  std::vector<Mixture> mixtures{mixture_of(layers, choice)};
  for (const Step& step : steps) {
    choice[step.layer] = step.choice;
    mixtures.push_back(mixture_of(layers, choice));
  }
  return mixtures;
}

MixedFront mix_formats(const std::vector<Choices>& layers, std::size_t most) {
  MixedFront front;
  std::vector<std::vector<Partial>> stages{{Partial{}}};
  for (const Choices& choices : layers) {
    std::vector<Partial> next;
    const std::vector<Partial> own = single(choices);
    for (std::size_t before = 0; before < stages.back().size(); before++) {
      const Partial& one = stages.back()[before];
      for (const Partial& last : own) {
        next.push_back({one.cycles + last.cycles, one.noise + last.noise, before, last.choice});
      }
    }
    keep_best(next);
    if (next.size() > most) {
      thin(next, most);
      front.exact = false;
    }
    stages.push_back(std::move(next));
  }
  std::vector<Mixture> all;
  if (!front.exact) all = mixed_hull(layers);
  for (std::size_t i = 0; i < stages.back().size(); i++) {
    std::vector<std::size_t> choice(layers.size());
    std::size_t at = i;
    for (std::size_t layer = layers.size(); layer-- > 0;) {
      const Partial& one = stages[layer + 1][at];
      choice[layer] = one.choice;
      at = one.before;
    }
    all.push_back(mixture_of(layers, std::move(choice)));
  }
  front.mixtures = undominated(std::move(all));
  return front;
}

std::vector<std::vector<bool>> possible_choices(const std::vector<Choices>& layers, double noise) {
  const auto less = [](const FormatCost& a, const FormatCost& b) { return a.noise < b.noise; };
  std::vector<std::size_t> best;
  for (const Choices& choices : layers) {
    const auto found = std::min_element(choices.begin(), choices.end(), less);
    best.push_back(static_cast<std::size_t>(found - choices.begin()));
  }
  std::vector<std::vector<bool>> possible;
  for (std::size_t layer = 0; layer < layers.size(); layer++) {
    std::vector<std::size_t> choice = best;
    std::vector<bool>& own = possible.emplace_back();
    for (choice[layer] = 0; choice[layer] < layers[layer].size(); choice[layer]++) {
      own.push_back(mixture_of(layers, choice).noise <= noise);
    }
  }
  return possible;
}

}  // namespace mxe::explore
