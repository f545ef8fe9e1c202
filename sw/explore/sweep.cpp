// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>

#include "sw/explore/cache.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/halving.h"
#include "sw/explore/parallel.h"
#include "sw/explore/results.h"
#include "sw/explore/task.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFront = "area-latency";

// What was found, group by group, for pruning. Several threads use it.
class Fronts {
 public:
  void add(const Task& task, double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& front = fronts_[task.group];
    front.erase(std::remove_if(front.begin(), front.end(),
                               [&](const auto& one) {
                                 return dominates(task.area, seconds, one.first, one.second);
                               }),
                front.end());
    front.emplace_back(task.area, seconds);
  }
  /// Whether the point, however fast its lower bound lets it be, is off the front.
  bool excludes(const Task& task) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto& front = fronts_[task.group];
    return std::any_of(front.begin(), front.end(), [&](const auto& one) {
      return dominates(one.first, one.second, task.area, task.least_seconds);
    });
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::pair<double, double>>> fronts_;
};

double seconds_of(const std::string& line) { return Json::parse(line).at("seconds"); }

class Sweep {
 public:
  Sweep(const std::vector<Task>& tasks, const SweepOptions& options, const std::string& file)
      : tasks_(tasks), options_(options), cache_(options.cache), results_(options.output, file) {}

  SweepCounts run() {
    std::vector<std::size_t> order = mine();
    if (options_.halving)
      order = chosen_ = halve(tasks_, *options_.halving, options_.threads, jobs_);
    if (options_.prune) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return tasks_[a].least_seconds < tasks_[b].least_seconds;
      });
    }
    in_parallel(order.size(), options_.threads, [&](std::size_t i) {
      evaluate(tasks_[order[i]]);
      const std::size_t done = ++done_;
      if (options_.progress) options_.progress(done, order.size());
    });
    return {
        options_.halving ? tasks_.size() : order.size(),    known_, cached_, simulated_, pruned_,
        options_.halving ? tasks_.size() - order.size() : 0};
  }

  /// The lines of all tasks that have one, in their order, with their fronts.
  std::vector<Outcome> outcomes(std::vector<std::string>& lines) const;
  Results& results() { return results_; }

 private:
  std::vector<std::size_t> mine() const {
    std::vector<std::size_t> order;
    const Shard shard = options_.shard.value_or(Shard{});
    for (std::size_t i = shard.index - 1; i < tasks_.size(); i += shard.count) order.push_back(i);
    return order;
  }

  void add_layer_accuracy(const Task& task, Json& record) const;

  void evaluate(const Task& task) {
    if (results_.has(task.id)) {
      known_++;
      if (options_.prune) fronts_.add(task, seconds_of(results_.line(task.id)));
      return;
    }
    if (options_.prune && fronts_.excludes(task)) {
      pruned_++;
      return;
    }
    const std::string key = times_key(*task.workload, *task.point);
    std::optional<std::vector<JobTimes>> times;
    if (const auto text = cache_.find(key)) times = times_of(*text, task.workload->layers.size());
    if (times) {
      cached_++;
    } else {
      simulated_++;
      times = time_layers(*task.workload, *task.point, jobs_);
      cache_.store(key, to_text(*times));
    }
    const Json record = to_record(*task.workload, *task.point, *times);
    results_.add(task.id, record.dump());
    if (options_.prune) fronts_.add(task, record.at("seconds"));
  }

  const std::vector<Task>& tasks_;
  const SweepOptions& options_;
  Cache cache_;
  TimedJobs jobs_;
  Results results_;
  Fronts fronts_;
  std::vector<std::size_t> chosen_;  // by halving
  std::atomic<std::size_t> done_{0}, known_{0}, cached_{0}, simulated_{0}, pruned_{0};
};

void Sweep::add_layer_accuracy(const Task& task, Json& record) const {
  for (std::size_t i = 0; i < task.workload->layers.size(); i++) {
    const Layer& layer = task.workload->layers[i];
    const JobShape shape = job_of(layer, *task.point);
    Json& line = record.at("layers").at(i);
    line.erase("sqnr_db");  // of other tensors
    const auto known = options_.layer_sqnr_db.find({layer.name, shape.format_a, shape.format_b});
    if (known != options_.layer_sqnr_db.end()) line["sqnr_db"] = known->second;
  }
}

std::vector<Outcome> Sweep::outcomes(std::vector<std::string>& lines) const {
  std::vector<Outcome> found;
  std::vector<Json> records;
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < tasks_.size(); i++) {
    const Task& task = tasks_[i];
    if (!results_.has(task.id)) continue;
    if (options_.halving && !std::binary_search(chosen_.begin(), chosen_.end(), i)) continue;
    Json record = Json::parse(results_.line(task.id));
    record.erase("pareto");
    const auto accuracy = options_.sqnr_db.find({task.point->format_a, task.point->format_b});
    if (accuracy != options_.sqnr_db.end()) record["sqnr_db"] = accuracy->second;
    add_layer_accuracy(task, record);
    groups[task.group].push_back(found.size());
    found.push_back({task.point, task.workload, record.at("cycles"), record.at("seconds"),
                     record.at("area").at("ge"), record.at("area").at("sram_kib"),
                     record.at("utilisation"), record.at("energy").at("joules"), false});
    records.push_back(std::move(record));
  }
  for (auto& [group, members] : groups) {
    // From the smallest: on the front is who is faster than all before.
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(found[a].area, found[a].seconds) < std::tie(found[b].area, found[b].seconds);
    });
    const Outcome* best = nullptr;
    for (const std::size_t i : members) {
      Outcome& one = found[i];
      one.on_front = !best || one.seconds < best->seconds ||
                     (one.seconds == best->seconds && one.area == best->area);
      if (one.on_front) {
        best = &one;
        records[i]["pareto"] = {kFront};
      }
    }
  }
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < found.size(); i++) {
    if (options_.fronts_only && !found[i].on_front) continue;
    lines.push_back(records[i].dump());
    outcomes.push_back(found[i]);
  }
  return outcomes;
}

}  // namespace

SweepResult sweep(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                  const SweepOptions& options) {
  const std::vector<Task> tasks = make_tasks(points, workloads);
  const std::string file = options.shard ? fmt::format("points.{}-of-{}.jsonl",
                                                       options.shard->index, options.shard->count)
                                         : "points.jsonl";
  Sweep sweep(tasks, options, file);
  SweepResult result;
  result.counts = sweep.run();
  std::vector<std::string> lines;
  result.outcomes = sweep.outcomes(lines);
  if (!options.shard) sweep.results().replace(lines);
  return result;
}

}  // namespace mxe::explore
