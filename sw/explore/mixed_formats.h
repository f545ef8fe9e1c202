// SPDX-License-Identifier: Apache-2.0
// Which layers of a network go to which formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxe::explore {

/// What a layer costs in one pair of formats.
struct FormatCost {
  uint64_t cycles = 0;
  double noise = 0;  ///< its share of the network's noise, as a power relative to the signal
};

/// A choice for every layer.
struct Mixture {
  uint64_t cycles = 0;  ///< the sum over the layers
  double noise = 0;     ///< likewise: noises of layers are independent, so their powers add
  std::vector<std::size_t> choice;

  double sqnr_db() const;
};

struct MixedFront {
  /// From the fastest to the most accurate: no other mixture has as few cycles and less noise.
  std::vector<Mixture> mixtures;
  /// All such mixtures. Otherwise there were too many, and these are good ones, among them all that
  /// are best for some price of noise in cycles (the convex hull).
  bool exact = true;
};

/// Mixes formats: layer by layer, every partial mixture that nothing beats is kept, as long as
/// those are no more than `most`; beyond that the best of so many equal ranges of cycles.
/// Every layer must have a choice.
MixedFront mix_formats(const std::vector<std::vector<FormatCost>>& layers, std::size_t most = 8192);

/// The mixtures that are best for some price of noise in cycles, from the fastest: each layer takes
/// its steps of the most noise saved a cycle first.
std::vector<Mixture> mixed_hull(const std::vector<std::vector<FormatCost>>& layers);

/// By layer and choice: whether some mixture with at most this noise has it, however slow it is.
/// That is the one in which all other layers are as accurate as they can be.
std::vector<std::vector<bool>> possible_choices(const std::vector<std::vector<FormatCost>>& layers,
                                                double noise);

}  // namespace mxe::explore
