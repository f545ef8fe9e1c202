// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/workload.h"
#include "sw/mxe/product_accuracy.h"

namespace mxe::cli {

/// Which formats per layer are looked for.
struct FormatSearch {
  std::optional<double> sqnr_db;   ///< the fastest that are at least this accurate
  std::optional<uint64_t> cycles;  ///< the most accurate that take at most so many
  bool digits = false;             ///< whether the tensors are those of the digits' network
  uint64_t most_rows = 20;
};

/// Throws mx::Error unless the points are one engine with one memory and several pairs of formats,
/// and every layer has a product to tell its accuracy by.
void require_format_choices(const std::vector<explore::Point>& points,
                            const std::vector<explore::Workload>& workloads,
                            const ProductAccuracy& accuracy);

/// Mixes the formats of the points layer by layer, by the times of `points.jsonl` in the folder:
/// writes all mixtures that none is faster and more accurate than to `formats.jsonl`, prints some,
/// and writes the one of the budget to `WORKLOAD.formats.yaml`, a format map. Throws mx::Error if
/// there is none, before `before_printing` is called.
void search_formats(const std::vector<explore::Point>& points,
                    const std::vector<explore::Workload>& workloads,
                    const ProductAccuracy& accuracy, const FormatSearch& search,
                    const std::filesystem::path& folder,
                    const std::function<void()>& before_printing);

}  // namespace mxe::cli
