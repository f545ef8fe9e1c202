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

/// A quantity that constraints may name, but a space file does not set.
struct Quantity {
  const char* name;
  const char* unit;
};

/// Known before a point is simulated: `area`, `sram_kib`, `port_bytes_per_cycle`.
const std::vector<Quantity>& known_quantities();
/// Results of a workload: `ms`, `energy`, `cycles`, `utilisation`, `items_per_second`, `sqnr_db`.
const std::vector<Quantity>& result_quantities();

/// The values of result_quantities(); NaN if unknown.
struct ResultValues {
  double ms = NAN, energy_mj = NAN, cycles = NAN, utilisation = NAN, items_per_second = NAN,
         sqnr_db = NAN;
};

/// Not thread-safe.
class Conditions {
 public:
  Conditions();
  ~Conditions();
  Conditions(const Conditions&) = delete;
  Conditions& operator=(const Conditions&) = delete;

  /// Throws Error, which lists the allowed names.
  void add(const std::string& text);
  std::size_t count() const { return parsers_.size(); }
  /// Returns whether the constraint added last names this quantity, or any result.
  bool last_names(const std::string& quantity) const;
  bool last_needs_results() const;

  /// The index of the first constraint that is not met; one with an unknown result is never met.
  std::optional<std::size_t> broken(const Point& point, const ResultValues& results = {});

 private:
  std::map<std::string, double> values_;
  std::vector<std::unique_ptr<mu::Parser>> parsers_;
  bool needs_area_ = false;
};

}  // namespace mxe::explore
