// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::explore {

/// Three digits, SI prefix and unit: "57.8 J", "165 mJ", "7.98 GB".
std::string with_prefix(double value, const std::string& unit);

/// The points of one workload, or of all workloads combined.
struct FrontTable {
  std::string title;
  std::vector<const Outcome*> outcomes;  ///< all points, on a front or not
  std::vector<std::string> varying;      ///< parameters that differ between points
  uint64_t items = 0;                    ///< items per run; 0 if unknown
  std::string item_name;
};

/// `whole`: times are those of products and rest.
void print_columns(bool whole);
/// Prints at most `most` points of the front, the fastest first.
void print_front(const FrontTable& table, std::size_t most);
/// Prints the workload's notes, the bytes of B, and a note unless the SQNR covers all its layers.
void print_workload_notes(const FrontTable& table, const Workload& workload);
/// Prints the rest by kind, for the fastest point on the front. Requires a vector unit.
void print_rest(const FrontTable& table);
void print_port_note(const std::vector<Point>& points);

}  // namespace mxe::explore
