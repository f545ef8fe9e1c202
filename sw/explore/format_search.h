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
  bool digits = false;             ///< the tensors are those of the digits' network
  uint64_t most_rows = 20;
};

/// Throws Error unless all points have the same engine and memory and several pairs of formats,
/// and every layer has a product with tensors.
void require_format_choices(const std::vector<Point>& points,
                            const std::vector<Workload>& workloads,
                            const ProductAccuracy& accuracy);

/// Combines the formats of the points layer by layer, with the times of `points.jsonl` in the
/// folder. Writes the front of cycles and SQNR to `formats.jsonl`, prints a part of it, and writes
/// the mixture within the budget as a format map to `WORKLOAD.formats.yaml`. Throws Error if no
/// mixture is within the budget, before it calls `before_printing`.
void search_formats(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                    const ProductAccuracy& accuracy, const FormatSearch& search,
                    const std::filesystem::path& folder,
                    const std::function<void()>& before_printing);

}  // namespace mxe::explore
