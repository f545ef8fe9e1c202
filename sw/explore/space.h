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

/// Counts the points that are skipped, by reason. Two points have the same reason if code and
/// values of their errors are equal; the text is only printed.
class SkippedPoints {
 public:
  struct Reason {
    std::string text;
    uint64_t points = 0;
  };

  void add(const LimitError& error);
  /// The most points first, then in the order of the texts.
  std::vector<Reason> reasons() const;

 private:
  using Code = std::pair<std::string, std::vector<double>>;
  std::map<Code, Reason> reasons_;
};

/// The points described by a file:
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
///
/// Constraints compare formats by name. They may also name quantities of a point or of its results
/// (conditions.h): `area <= 3000000`, `ms <= 20`.
class Space {
 public:
  /// Which points become results.
  struct Search {
    enum class Method : uint8_t {
      grid,
      random,   ///< `budget` of the combinations, drawn with `seed`, none twice
      front,    ///< those on a front of area and time
      halving,  ///< the `budget` points that successive halving keeps (halving.h)
    };
    Method method = Method::grid;
    std::optional<uint64_t> budget;
    uint64_t seed = 1;
  };

  /// Throws Error, which names file and line.
  static Space from_file(const std::string& path);
  /// `path` is for messages.
  static Space from_text(const std::string& text, const std::string& path);

  /// In the order of the file.
  std::vector<std::string> varying() const;
  /// Including illegal ones.
  uint64_t combinations() const;

  struct Points {
    std::vector<Point> points;
    SkippedPoints skipped;
  };
  /// In the order of the file, the last variable changing fastest; with Method::random, the drawn
  /// points. Throws Error if no point is legal, or for more than kMostPoints combinations.
  Points points() const;
  const Search& search() const { return search_; }
  /// Constraints on results; points() does not check them.
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
};

}  // namespace mxe::explore
