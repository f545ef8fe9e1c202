// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "model/engine/timing/observe/chrome_trace.h"
#include "model/numerics/base/error.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/job_timer.h"

namespace mxe::explore {
namespace {

constexpr uint64_t kMostTraced = 50'000;  // cycles: some megabytes of a trace

// Lengths above three units become two units plus the remainder: 1000, unit 32: 64 + 8 = 72.
std::size_t shorter(std::size_t length, std::size_t unit) {
  return length <= 3 * unit ? length : 2 * unit + length % unit;
}

job::JobShape feasible(const Layer& layer, const Point& point, uint64_t most_cycles) {
  const Params& params = point.params;
  job::JobShape shape = job_of(layer, point);
  const auto cycles = [&] {
    return time_job(shape, params, point.timing, point.ports, nullptr, point.dram.get()).cycles;
  };
  if (cycles() <= most_cycles) return shape;
  shape.n = shorter(shape.n, std::size_t{params.num_pe} * params.acc_tiles);
  if (cycles() > most_cycles) shape.m = shorter(shape.m, params.rows);
  if (cycles() > most_cycles) shape.k = shorter(shape.k, params.a_slab_k);
  return shape;
}

const Layer& costliest(const Outcome& outcome) {
  const std::vector<Layer>& layers = outcome.workload->layers;
  return *std::max_element(layers.begin(), layers.end(),
                           [](const Layer& a, const Layer& b) { return a.macs() < b.macs(); });
}

}  // namespace

std::vector<Sample> sample_fronts(const std::vector<Outcome>& outcomes, std::size_t count,
                                  uint64_t most_cycles) {
  std::vector<const Outcome*> front, rest;
  std::set<std::string> engines;
  for (const Outcome& one : outcomes) {
    if (!one.on_front) continue;
    const bool is_new = engines.insert(one.point->params.to_string()).second;
    (is_new ? front : rest).push_back(&one);
  }
  front.insert(front.end(), rest.begin(), rest.end());
  if (front.empty()) throw Error("no point is on a front: no layer to run");
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < std::min(count, front.size()); i++) {
    const Layer& layer = costliest(*front[i]);
    samples.push_back({front[i], &layer, feasible(layer, *front[i]->point, most_cycles)});
  }
  return samples;
}

void write_traces(const std::vector<Outcome>& outcomes, std::size_t count,
                  const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  fmt::print("\nTraces for Perfetto, of layers made smaller where they take long:\n");
  for (const auto& [outcome, layer, shape] : sample_fronts(outcomes, count, kMostTraced)) {
    const Point& point = *outcome->point;
    const std::filesystem::path path = folder / (result_id(*outcome->workload, point) + ".json");
    engine::ChromeTrace trace(path.string());
    const uint64_t cycles =
        time_job(shape, point.params, point.timing, point.ports, &trace, point.dram.get()).cycles;
    trace.close();
    fmt::print("  {}: {} {} x {} x {} as {} x {} x {}, {} cycles\n", path.string(), layer->name,
               layer->m, layer->n, layer->k, shape.m, shape.n, shape.k, cycles);
  }
}

}  // namespace mxe::explore
