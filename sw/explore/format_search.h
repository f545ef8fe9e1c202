// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/product_accuracy.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

struct FormatSearch {
  std::optional<double> sqnr_db;   ///< find the fastest mixture with at least this SQNR
  std::optional<uint64_t> cycles;  ///< find the most accurate mixture within these cycles
  bool digits = false;             ///< the tensors belong to the digits' network
  uint64_t most_rows = 20;
};

/// Throws Error unless there are two points or more, which differ only in format_a and format_b,
/// and every layer has tensors.
void require_format_choices(const std::vector<Point>& points,
                            const std::vector<Workload>& workloads,
                            const ProductAccuracy& accuracy);

/// Chooses a point's formats for each layer, with the times of points.jsonl in `folder`. Writes the
/// front of cycles and SQNR to formats.jsonl, prints at most `most_rows` of its rows, and writes
/// the chosen mixture as a format map to WORKLOAD.formats.yaml. Throws Error, before it calls
/// `before_printing`, if no mixture is within the budget.
void search_formats(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                    const ProductAccuracy& accuracy, const FormatSearch& search,
                    const std::filesystem::path& folder,
                    const std::function<void()>& before_printing);

}  // namespace mxe::explore
