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

/// A quantity that constraints may name although a space file does not set it.
struct Quantity {
  const char* name;
  const char* unit;
};

/// Quantities known before a simulation: `area`, `sram_kib`, `port_bytes_per_cycle`.
const std::vector<Quantity>& known_quantities();
/// Known afterwards: `ms`, `energy`, `cycles`, `utilisation`, `items_per_second`, `sqnr_db`.
const std::vector<Quantity>& result_quantities();

/// Values of result_quantities(); NaN if unknown.
struct ResultValues {
  double ms = NAN, energy_mj = NAN, cycles = NAN, utilisation = NAN, items_per_second = NAN,
         sqnr_db = NAN;
};

/// The constraints of a space file, such as "NUM_PE <= 8". Not thread-safe.
class Conditions {
 public:
  Conditions();
  ~Conditions();
  Conditions(const Conditions&) = delete;
  Conditions& operator=(const Conditions&) = delete;

  /// Adds a constraint. Throws Error, which lists the allowed names.
  void add(const std::string& text);
  std::size_t count() const { return parsers_.size(); }
  /// True if the constraint added last names this quantity, or one of result_quantities().
  bool last_names(const std::string& quantity) const;
  bool last_needs_results() const;

  /// Index of the first constraint that the point violates. Results default to NaN, so
  /// `ms <= 20` is violated.
  std::optional<std::size_t> broken(const Point& point, const ResultValues& results = {});

 private:
  std::map<std::string, double> values_;
  std::vector<std::unique_ptr<mu::Parser>> parsers_;
  bool needs_area_ = false;
};

}  // namespace mxe::explore
