// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxe::explore {

struct FormatCost {
  uint64_t cycles = 0;
  double noise = 0;  ///< noise power that the layer adds, relative to the signal of the network
};

struct Mixture {
  uint64_t cycles = 0;
  double noise = 0;  ///< the sum over the layers, whose noises are independent
  std::vector<std::size_t> choice;

  double sqnr_db() const;
};

struct MixedFront {
  /// From the fastest to the most accurate: no other mixture is as fast and less noisy.
  std::vector<Mixture> mixtures;
  /// `mixtures` is complete. Otherwise it is a subset that contains the convex hull of all.
  bool exact = true;
};

/// Mixes formats layer by layer, keeping undominated partial mixtures. Beyond `most`, it keeps
/// the most accurate in each of `most` equal ranges of cycles. Every layer needs a choice.
MixedFront mix_formats(const std::vector<std::vector<FormatCost>>& layers, std::size_t most = 8192);

/// The convex hull of all mixtures, from the fastest. Each step saves the most noise per cycle.
std::vector<Mixture> mixed_hull(const std::vector<std::vector<FormatCost>>& layers);

/// [layer][choice]: whether a mixture with at most this noise can contain the choice, that is,
/// whether it does with the most accurate choices of all other layers.
std::vector<std::vector<bool>> possible_choices(const std::vector<std::vector<FormatCost>>& layers,
                                                double noise);

}  // namespace mxe::explore
