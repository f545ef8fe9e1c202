// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/explore/sweep.h"

namespace mxe::cli {

/// A number with an SI prefix, three digits and its unit: "57.8 J", "165 mJ", "7.98 GB".
std::string with_prefix(double value, const std::string& unit);

/// The points of one workload, or of all of them together.
struct FrontTable {
  std::string title;
  std::vector<const explore::Outcome*> outcomes;  ///< all, also those that are on no front
  std::vector<std::string> varying;               ///< names of what tells points apart
  uint64_t items = 0;                             ///< of a run; 0 if that is not known
  std::string item_name;
};

/// Prints what the columns of the tables mean.
void print_columns();
/// Prints the points on a front, the fastest first, `most` of them.
void print_front(const FrontTable& table, std::size_t most);
/// Prints the bytes of B, and how the accuracy was measured, for a workload of `layers` layers.
void print_workload_notes(const FrontTable& table, std::size_t layers);
/// Prints how many points have a port that is narrower than their memory.
void print_port_note(const std::vector<explore::Point>& points);

}  // namespace mxe::cli
