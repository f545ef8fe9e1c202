// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/explore/point.h"

namespace mu {
class Parser;
}

namespace mxe::explore {

/// A quantity of a point that a constraint may name and a space cannot choose.
struct Quantity {
  const char* name;
  const char* unit;
};

/// Known before a point is timed: `area`, `sram_kib`, `port_bytes_per_cycle`.
const std::vector<Quantity>& known_quantities();
/// Of a run of a workload: `ms`, `energy`, `cycles`, `utilisation`, `items_per_second`, `sqnr_db`.
const std::vector<Quantity>& result_quantities();

/// The values of result_quantities(); NaN for what is not known.
struct ResultValues {
  double ms = NAN, energy_mj = NAN, cycles = NAN, utilisation = NAN, items_per_second = NAN,
         sqnr_db = NAN;
};

/// Constraints, compiled once. An object is for one thread.
class Conditions {
 public:
  Conditions();
  ~Conditions();
  Conditions(const Conditions&) = delete;
  Conditions& operator=(const Conditions&) = delete;

  /// Throws mx::Error with the names that are allowed.
  void add(const std::string& text);
  std::size_t count() const { return parsers_.size(); }
  /// Whether the last one that was added names this quantity, or any result.
  bool last_names(const std::string& quantity) const;
  bool last_needs_results() const;

  /// The first one that a point does not meet. A result that is not known meets none.
  std::optional<std::size_t> broken(const Point& point, const ResultValues& results = {});

 private:
  std::map<std::string, double> values_;
  std::vector<std::unique_ptr<mu::Parser>> parsers_;
  bool needs_area_ = false;  // whether one of them names the area or the SRAM
};

}  // namespace mxe::explore
