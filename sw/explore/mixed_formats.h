// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxe::explore {

struct FormatCost {
  uint64_t cycles = 0;
  double noise = 0;  ///< noise power that the layer adds, relative to the network's signal
};

struct Mixture {
  uint64_t cycles = 0;
  double noise = 0;  ///< the sum over the layers, as if their noises were independent
  std::vector<std::size_t> choice;

  double sqnr_db() const;
};

struct MixedFront {
  /// From the fastest to the most accurate. No other mixture is both as fast and less noisy.
  std::vector<Mixture> mixtures;
  /// False if `mixtures` only approximates the front, but contains its convex hull.
  bool exact = true;
};

/// Combines one choice per layer, layer by layer, and drops dominated combinations. Beyond `most`,
/// keeps the fastest, and the most accurate in each of `most` equal ranges of cycles. Every layer
/// needs a choice.
MixedFront mix_formats(const std::vector<std::vector<FormatCost>>& layers, std::size_t most = 8192);

/// The convex hull of all mixtures, from the fastest. A step saves the most noise per added cycle.
std::vector<Mixture> mixed_hull(const std::vector<std::vector<FormatCost>>& layers);

/// [layer][choice]: true if a mixture with at most this noise can contain the choice: the one with
/// the most accurate choices of all other layers.
std::vector<std::vector<bool>> possible_choices(const std::vector<std::vector<FormatCost>>& layers,
                                                double noise);

}  // namespace mxe::explore
