// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

#include "sw/explore/cache.h"
#include "sw/explore/conditions.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/halving.h"
#include "sw/explore/parallel.h"
#include "sw/explore/task.h"
#include "sw/explore/timed_jobs.h"

namespace mxe::explore {
namespace {

// The fronts so far, by group. Thread-safe.
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
  /// True if the task would not be on the front even if it took only its lower bound.
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

class Sweep {
 public:
  Sweep(const std::vector<Task>& tasks, const SweepOptions& options, const std::string& file)
      : tasks_(tasks), options_(options), cache_(options.cache), results_(options.output, file) {
    for (const std::string& constraint : options.constraints) conditions_.add(constraint);
  }

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
        options_.halving ? tasks_.size() : order.size(),     known_, cached_, simulated_, pruned_,
        options_.halving ? tasks_.size() - order.size() : 0, {}};
  }

  void finish(SweepResult& result);
  Results& results() { return results_; }

 private:
  std::vector<std::size_t> mine() const {
    std::vector<std::size_t> order;
    const Shard shard = options_.shard.value_or(Shard{});
    for (std::size_t i = shard.index - 1; i < tasks_.size(); i += shard.count) order.push_back(i);
    return order;
  }

  void add_layer_accuracy(const Task& task, Record& record) const;
  std::optional<SweepOptions::Accuracy> accuracy_of(const Task& task) const;
  std::optional<std::size_t> unmet_constraint(const Task& task, const Record& record);
  void add_to_fronts(const Task& task, const Record& record) {
    if (!unmet_constraint(task, record)) fronts_.add(task, record.at("seconds"));
  }

  void evaluate(const Task& task) {
    if (results_.has(task.id)) {
      known_++;
      if (options_.prune) add_to_fronts(task, results_.record(task.id));
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
    Record record = to_record(*task.workload, *task.point, *times);
    if (options_.prune) add_to_fronts(task, record);
    results_.add(task.id, std::move(record));
  }

  const std::vector<Task>& tasks_;
  const SweepOptions& options_;
  Cache cache_;
  TimedJobs jobs_;
  Results results_;
  Fronts fronts_;
  Conditions conditions_;
  std::mutex conditions_mutex_;
  std::vector<std::size_t> chosen_;
  std::atomic<std::size_t> done_{0}, known_{0}, cached_{0}, simulated_{0}, pruned_{0};
};

void Sweep::add_layer_accuracy(const Task& task, Record& record) const {
  for (std::size_t i = 0; i < task.workload->layers.size(); i++) {
    const Layer& layer = task.workload->layers[i];
    Record& line = record.at("layers").at(i);
    line.erase("sqnr_db");  // an earlier run may have used other tensors
    const auto known =
        options_.layer_sqnr_db.find({task.workload->name, layer.name, format_a(layer, *task.point),
                                     format_b(layer, *task.point)});
    if (known != options_.layer_sqnr_db.end()) line["sqnr_db"] = known->second;
  }
}

std::optional<SweepOptions::Accuracy> Sweep::accuracy_of(const Task& task) const {
  const auto found =
      options_.sqnr_db.find({task.workload->name, task.point->format_a, task.point->format_b});
  if (found == options_.sqnr_db.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Sweep::unmet_constraint(const Task& task, const Record& record) {
  if (options_.constraints.empty()) return std::nullopt;
  ResultValues values;
  values.ms = 1e3 * record.at("seconds").get<double>();
  values.energy_mj = 1e3 * record.at("energy").at("joules").get<double>();
  values.cycles = record.at("cycles");
  values.utilisation = record.at("utilisation");
  values.items_per_second = record.value("items_per_second", values.items_per_second);
  if (const auto accuracy = accuracy_of(task)) values.sqnr_db = accuracy->sqnr_db;
  const std::lock_guard<std::mutex> lock(conditions_mutex_);
  return conditions_.broken(*task.point, values);
}

Outcome outcome_of(const Task& task, const Record& record) {
  Outcome one;
  one.point = task.point;
  one.workload = task.workload;
  one.cycles = record.at("cycles");
  one.seconds = record.at("seconds");
  one.area = record.at("area").at("ge");
  one.sram_kib = record.at("area").at("sram_kib");
  one.utilisation = record.at("utilisation");
  one.joules = record.at("energy").at("joules");
  one.bound_by = record.at("bound_by");
  one.weight_bytes = record.at("weight_bytes");
  one.kv_bytes = record.at("kv_bytes");
  one.b_bytes = record.at("b_bytes");
  for (const Record& format : record.at("kv_formats")) {
    one.kv_formats += (one.kv_formats.empty() ? "" : ", ") + format.get<std::string>();
  }
  return one;
}

void Sweep::finish(SweepResult& result) {
  std::vector<Outcome> found;
  std::vector<Record> records;
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < tasks_.size(); i++) {
    const Task& task = tasks_[i];
    if (!results_.has(task.id)) continue;
    if (options_.halving && !std::binary_search(chosen_.begin(), chosen_.end(), i)) continue;
    Record record = results_.record(task.id);
    if (const auto unmet = unmet_constraint(task, record)) {
      result.counts.unmet[options_.constraints[*unmet]]++;
      continue;
    }
    for (const char* key : {"pareto", "sqnr_db", "sqnr_layers"}) record.erase(key);
    found.push_back(outcome_of(task, record));
    found.back().accuracy = accuracy_of(task);
    if (found.back().accuracy) {
      record["sqnr_db"] = found.back().accuracy->sqnr_db;
      record["sqnr_layers"] = found.back().accuracy->layers;
    }
    add_layer_accuracy(task, record);
    groups.push_back(task.group);
    records.push_back(std::move(record));
  }
  mark_fronts(found, [&](std::size_t i) { return groups[i]; });
  for (std::size_t i = 0; i < found.size(); i++) {
    if (options_.fronts_only && !found[i].on_front) continue;
    if (found[i].on_front) records[i]["pareto"] = {kFront};
    result.records.push_back(std::move(records[i]));
    result.outcomes.push_back(found[i]);
  }
}

}  // namespace

void mark_fronts(std::vector<Outcome>& outcomes,
                 const std::function<std::string(std::size_t)>& group) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < outcomes.size(); i++) groups[group(i)].push_back(i);
  for (auto& [name, members] : groups) {
    // In the order of area, then time, a point is on the front if it is faster than all before it,
    // or has the area and the time of the last one on the front.
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(outcomes[a].area, outcomes[a].seconds) <
             std::tie(outcomes[b].area, outcomes[b].seconds);
    });
    const Outcome* best = nullptr;
    for (const std::size_t i : members) {
      Outcome& one = outcomes[i];
      one.on_front = !best || one.seconds < best->seconds ||
                     (one.seconds == best->seconds && one.area == best->area);
      if (one.on_front) best = &one;
    }
  }
}

SweepResult sweep(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                  const SweepOptions& options) {
  const std::vector<Task> tasks = make_tasks(points, workloads);
  const std::string file = options.shard ? fmt::format("points.{}-of-{}.jsonl",
                                                       options.shard->index, options.shard->count)
                                         : "points.jsonl";
  Sweep sweep(tasks, options, file);
  SweepResult result;
  result.counts = sweep.run();
  sweep.finish(result);
  if (!options.shard) sweep.results().replace(result.records);
  return result;
}

}  // namespace mxe::explore
