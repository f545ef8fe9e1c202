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
#include "sw/explore/workload.h"

namespace mxe::explore {

/// A part of the points, for one of several machines: number `index` of `count`, from 1.
struct Shard {
  uint64_t index = 1, count = 1;
};

struct SweepOptions {
  std::filesystem::path output;  ///< folder of the results
  std::filesystem::path cache;   ///< folder of what was timed before (cache.h)
  unsigned threads = 1;
  std::optional<Shard> shard;
  /// Only points on a front are results. With `prune`, only those that may be on one are simulated:
  /// the most promising ones first, and none that takes, by its lower bound, longer than a smaller
  /// engine with the same formats and memory. The results are the same.
  bool fronts_only = false, prune = false;
  std::optional<uint64_t> halving;  ///< so many points are left of successive halving (halving.h)
  /// Accuracy of a workload's products, for the formats of a point. Not measured if missing.
  struct Accuracy {
    double sqnr_db = 0;
    std::size_t layers = 0;  ///< that were measured
  };
  std::map<std::tuple<std::string, mx::FormatId, mx::FormatId>, Accuracy> sqnr_db;
  /// The same of a layer of a workload, in dB.
  std::map<std::tuple<std::string, std::string, mx::FormatId, mx::FormatId>, double> layer_sqnr_db;
  /// Results that do not meet all of these are left out (conditions.h).
  std::vector<std::string> constraints;
  /// Called now and then with how many points are done, of how many.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// What became of the points.
struct SweepCounts {
  std::size_t all = 0;                       ///< points times workloads
  std::size_t known = 0;                     ///< that the folder had already
  std::size_t cached = 0;                    ///< whose times the cache had
  std::size_t simulated = 0;                 ///< the others that have results now
  std::size_t pruned = 0;                    ///< left out: not on a front
  std::size_t halved = 0;                    ///< left out: by successive halving
  std::map<std::string, std::size_t> unmet;  ///< left out: by the first constraint that is not met
};

/// A line of points.jsonl, as far as tables need it.
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
  std::vector<Outcome> outcomes;   ///< in the order of points and workloads
  std::vector<std::string> lines;  ///< of each, what points.jsonl has
};

/// Sets `on_front` of those that no smaller one of the same group beats. `group(i)` is that of
/// outcome number i.
void mark_fronts(std::vector<Outcome>& outcomes,
                 const std::function<std::string(std::size_t)>& group);

/// Evaluates every point with every workload. Each result is a line that is written as soon as it
/// is found, to points.jsonl or, of a shard, to points.I-of-N.jsonl; whatever such files of the
/// folder hold is not computed again. When all are done, points.jsonl is written anew, in the order
/// of the points and with their fronts: the same file however many threads, shards and
/// interruptions there were. Throws mx::Error for malformed lines, naming file and line, and for
/// lines of another version.
SweepResult sweep(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                  const SweepOptions& options);

}  // namespace mxe::explore
