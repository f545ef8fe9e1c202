// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sw/explore/point.h"
#include "sw/explore/results.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// One machine's part of the pairs of a point and a workload: number `index` (from 1) and every
/// `count`-th after it.
struct Shard {
  uint64_t index = 1, count = 1;
};

struct SweepOptions {
  std::filesystem::path output;
  std::filesystem::path cache;  ///< folder of times from earlier runs (cache.h)
  unsigned threads = 1;
  std::optional<Shard> shard;
  /// `fronts_only` keeps only points on a front. `prune` simulates points in the order of their
  /// lower bounds and skips those that would be off the front even at their bounds.
  /// Pruning does not change the fronts.
  bool fronts_only = false, prune = false;
  std::optional<uint64_t> halving;  ///< points that halve() keeps, over all workloads
  /// By workload and formats; no entry if not measured.
  struct Accuracy {
    double sqnr_db = 0;
    std::size_t layers = 0;  ///< layers with tensors
  };
  std::map<std::tuple<std::string, OperandFormat, OperandFormat>, Accuracy> sqnr_db;
  /// In dB, by workload, layer and formats.
  std::map<std::tuple<std::string, std::string, OperandFormat, OperandFormat>, double>
      layer_sqnr_db;
  /// Drops results that violate one of these (conditions.h).
  std::vector<std::string> constraints;
  std::function<void(std::size_t done, std::size_t all)> progress;
};

struct SweepCounts {
  std::size_t all = 0;                       ///< points times workloads; the part of a shard
  std::size_t known = 0;                     ///< already in the folder
  std::size_t cached = 0;                    ///< with times from the cache
  std::size_t simulated = 0;                 ///< newly simulated
  std::size_t pruned = 0;                    ///< skipped: not on a front
  std::size_t halved = 0;                    ///< skipped by successive halving
  std::map<std::string, std::size_t> unmet;  ///< dropped, by the first violated constraint
};

struct Outcome {
  const Point* point = nullptr;
  const Workload* workload = nullptr;
  double cycles = 0, seconds = 0, area = 0, sram_kib = 0, utilisation = 0, joules = 0;
  std::string bound_by;
  double weight_bytes = 0, kv_bytes = 0, b_bytes = 0;
  std::string kv_formats;  ///< of keys and values, separated by commas
  std::optional<SweepOptions::Accuracy> accuracy;
  bool on_front = false;
};

struct SweepResult {
  SweepCounts counts;
  std::vector<Outcome> outcomes;  ///< in the order of points and workloads
  std::vector<Record> records;    ///< of the outcomes
};

/// Sets `on_front` of each outcome, unless another one of its group is at least as good in area and
/// seconds and better in one: (area 1, 5 s) keeps (area 2, 5 s) off the front. `group` maps an
/// outcome's index to the name of its group.
void mark_fronts(std::vector<Outcome>& outcomes,
                 const std::function<std::string(std::size_t)>& group);

/// Evaluates every point with every workload. Appends each result to points.jsonl, or to
/// points.I-of-N.jsonl for a shard, and reuses the results in such files. Without a shard, finally
/// rewrites points.jsonl in the order of the points, with fronts. Its contents do not depend on
/// threads, shards and interruptions. Throws Error with file and line for a malformed or outdated
/// line.
SweepResult sweep(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                  const SweepOptions& options);

}  // namespace mxe::explore
