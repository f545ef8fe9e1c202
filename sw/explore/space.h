// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/base/error.h"
#include "sw/explore/point.h"

namespace mxe::explore {

/// Counts skipped points by reason. Reasons are equal if the codes and values of the errors are.
class SkippedPoints {
 public:
  struct Reason {
    std::string text;
    uint64_t points = 0;
  };

  void add(const LimitError& error);
  std::vector<Reason> reasons() const;

 private:
  using Code = std::pair<std::string, std::vector<double>>;
  std::map<Code, Reason> reasons_;
};

/// The points that a YAML file describes:
///
///     config: base                                 # values of all other parameters
///     parameters:
///       NUM_PE: [4, 8, 16]                         # a list, a single value, or a range:
///       ROWS: {from: 8, to: 64, factor: 2}         # or `step`
///       format_a: [mxfp8_e4m3, mxfp4_e2m1]
///       mem_latency: {from: 50, to: 400, step: 50}
///     constraints:                                 # conditions of muParser
///       - NUM_PE * ACC_TILES <= 64
///       - format_a == mxfp4_e2m1 || NUM_PE <= 8
///     search: {method: random, budget: 100, seed: 1}
///     vector: {lanes: 64, clock_mhz: 1000, bytes_per_cycle: 64}
///
/// Constraints compare formats by name. They may name quantities of conditions.h: `ms <= 20`.
class Space {
 public:
  struct Search {
    enum class Method : uint8_t {
      grid,
      random,   ///< draws `budget` different combinations by `seed`, or all
      front,    ///< keeps the points on a front of area and time
      halving,  ///< keeps `budget` points by successive halving (halving.h)
    };
    Method method = Method::grid;
    std::optional<uint64_t> budget;
    uint64_t seed = 1;
  };

  /// Throws Error with file and line.
  static Space from_file(const std::string& path);
  /// `path` is for messages.
  static Space from_text(const std::string& text, const std::string& path);

  /// The variables with several values, in the order of the file.
  std::vector<std::string> varying() const;
  /// The number of combinations of values, including illegal points.
  uint64_t combinations() const;

  struct Points {
    std::vector<Point> points;
    SkippedPoints skipped;
  };
  /// In the order of the file, the last variable changing fastest; only the drawn points for
  /// Method::random. Throws Error if no point is legal, or for more than kMostPoints combinations
  /// with another method.
  Points points() const;
  const Search& search() const { return search_; }
  /// "space.yaml:5", where `vector` is; nullopt without.
  const std::optional<std::string>& vector_place() const { return vector_place_; }
  /// Constraints on results, such as `ms <= 20`. points() does not check them.
  const std::vector<std::string>& result_constraints() const { return result_constraints_; }
  static constexpr uint64_t kMostPoints = 1'000'000;

 private:
  struct Axis {
    const Variable* variable;
    std::vector<std::string> values;
  };
  Point combination(uint64_t number) const;

  std::string path_;
  Params base_;
  std::vector<Axis> axes_;
  std::vector<std::string> constraints_, result_constraints_;
  Search search_;
  std::optional<VectorUnit> vector_;
  std::optional<std::string> vector_place_;
};

}  // namespace mxe::explore
