// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/halving.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "sw/explore/engines.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/parallel.h"

namespace mxe::explore {
namespace {

struct Candidate {
  const Task* task;
  std::vector<const Layer*> layers;  // most multiplications first
  std::size_t timed = 0;             // layers with simulated times
  double seconds = 0;
  std::size_t front = 0;  // number of the task's front in its group, from 0
};

Candidate make_candidate(const Task& task) {
  Candidate candidate{&task, {}, 0, task.least_seconds, 0};
  for (const Layer& layer : task.workload->layers) candidate.layers.push_back(&layer);
  std::stable_sort(candidate.layers.begin(), candidate.layers.end(),
                   [](const Layer* a, const Layer* b) { return a->macs() > b->macs(); });
  return candidate;
}

// Simulates further layers, until `layers` of them have simulated times instead of lower bounds.
void time_more(Candidate& candidate, std::size_t layers, TimedJobs& jobs) {
  const Point& point = *candidate.task->point;
  for (; candidate.timed < std::min(layers, candidate.layers.size()); candidate.timed++) {
    const Layer& layer = *candidate.layers[candidate.timed];
    const job::JobShape shape = job_of(layer, point);
    const auto cycles = static_cast<double>(product_times(shape, point, jobs).cycles);
    const auto bound = static_cast<double>(product_lower_bound(shape, point));
    candidate.seconds +=
        static_cast<double>(layer.count) * (cycles - bound) / (point.clock_mhz * 1e6);
  }
}

// Front 0 is the group's front; front n + 1 is the front of the points without fronts 0 to n.
void number_fronts(std::vector<Candidate*> group) {
  std::sort(group.begin(), group.end(), [](const Candidate* a, const Candidate* b) {
    return std::tie(a->task->area, a->seconds, a->task->id) <
           std::tie(b->task->area, b->seconds, b->task->id);
  });
  for (std::size_t front = 0; !group.empty(); front++) {
    std::vector<Candidate*> rest;
    double best = std::numeric_limits<double>::infinity();
    for (Candidate* one : group) {
      if (one->seconds < best) {
        best = one->seconds;
        one->front = front;
      } else {
        rest.push_back(one);
      }
    }
    group = std::move(rest);
  }
}

void number_fronts(std::vector<Candidate>& candidates) {
  std::map<std::string, std::vector<Candidate*>> groups;
  for (Candidate& one : candidates) groups[one.task->group].push_back(&one);
  for (auto& [name, group] : groups) number_fronts(std::move(group));
}

}  // namespace

std::vector<std::size_t> halve(const std::vector<Task>& tasks, uint64_t budget, unsigned threads,
                               TimedJobs& jobs) {
  std::vector<Candidate> candidates;
  for (const Task& task : tasks) candidates.push_back(make_candidate(task));
  for (std::size_t layers = 1; candidates.size() > budget; layers *= 2) {
    in_parallel(candidates.size(), threads,
                [&](std::size_t i) { time_more(candidates[i], layers, jobs); });
    number_fronts(candidates);
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.front, a.seconds, a.task->id) < std::tie(b.front, b.seconds, b.task->id);
    });
    candidates.resize(std::max<std::size_t>(budget, candidates.size() / 2));
  }
  std::vector<std::size_t> chosen;
  for (const Candidate& one : candidates) {
    chosen.push_back(static_cast<std::size_t>(one.task - tasks.data()));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace mxe::explore
