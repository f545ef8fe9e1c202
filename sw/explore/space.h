// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/explore/point.h"

namespace mxe::explore {

/// The points of a file:
///
///     config: base                                 # where unnamed parameters come from
///     parameters:
///       NUM_PE: [4, 8, 16]                         # a list, a single value, or a range:
///       ROWS: {from: 8, to: 64, factor: 2}         # or `step`
///       format_a: [mxfp8_e4m3, mxfp4_e2m1]
///       mem_latency: {from: 50, to: 400, step: 50}
///     constraints:                                 # conditions of muParser
///       - NUM_PE * ACC_TILES <= 64
///       - format_a == mxfp4_e2m1 || NUM_PE <= 8
///
/// Formats in a constraint are compared by their names.
class Space {
 public:
  /// Throws mx::Error naming file and line.
  static Space from_file(const std::string& path);

  /// Names of what has more than one value, in the order of the file.
  std::vector<std::string> varying() const;
  /// All combinations, legal or not.
  uint64_t combinations() const;

  /// The legal points among them.
  struct Points {
    std::vector<Point> points;
    std::map<std::string, uint64_t> skipped;  ///< why others are not, and how many each
  };
  /// In the order of the file, the last variable changing fastest. With `sample`, that many of the
  /// combinations are drawn with `seed`, none twice, and kept in that order. Throws mx::Error if no
  /// point is legal, or without a sample if the combinations are more than kMostPoints.
  Points points(std::optional<uint64_t> sample = {}, uint64_t seed = 1) const;
  static constexpr uint64_t kMostPoints = 10'000'000;

 private:
  struct Axis {
    const Variable* variable;
    std::vector<std::string> values;
  };
  struct Constraint {
    std::string text;
    int line;
  };

  Point combination(uint64_t number) const;

  std::string path_;
  Params base_;
  std::vector<Axis> axes_;
  std::vector<Constraint> constraints_;
};

}  // namespace mxe::explore
