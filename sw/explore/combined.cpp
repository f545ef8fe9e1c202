// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/combined.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/explore/content_hash.h"
#include "sw/explore/evaluate.h"

namespace mxe::explore {
namespace {

using Json = Record;

struct Part {
  const Outcome* outcome;
  Json record;
  double weight;

  double seconds() const { return weight * outcome->seconds; }
};

// Fields of the combined record and of its layers that are multiplied by the workload's weight.
constexpr const char* kAmounts[] = {"cycles", "macs", "bound_cycles", "bytes_read",
                                    "bytes_written"};

Json layer_of(const Part& part) {
  Json layer{{"name", part.outcome->workload->name}};
  for (const char* key : kAmounts) layer[key] = part.weight * part.record.at(key).get<double>();
  layer["bound_by"] = part.record.at("bound_by");
  layer["stalls"] = Json::object();
  for (const auto& [name, cycles] : part.record.at("stalls").items()) {
    layer["stalls"][name] = part.weight * cycles.get<double>();
  }
  return layer;
}

class Combiner {
 public:
  Combiner(std::vector<Part> parts, const Combination& how) : parts_(std::move(parts)), how_(how) {
    worst_ = &*std::max_element(
        parts_.begin(), parts_.end(),
        [](const Part& one, const Part& other) { return one.seconds() < other.seconds(); });
  }

  Outcome outcome() const {
    Outcome one = *worst_->outcome;
    one.workload = nullptr;
    one.on_front = false;
    one.accuracy.reset();
    one.seconds = time([](const Part& part) { return part.outcome->seconds; });
    one.cycles = time([](const Part& part) { return part.outcome->cycles; });
    one.joules = sum([](const Part& part) { return part.outcome->joules; });
    one.utilisation = share("utilisation");
    return one;
  }

  Json record(const Outcome& outcome) const {
    // Keeps the fields with equal values in all parts, and bound_by of the slowest part.
    Json record = worst_->record;
    for (const char* key :
         {"items", "item_name", "items_per_second", "pareto", "sqnr_db", "sqnr_layers", "b_bytes",
          "weight_bytes", "kv_bytes", "kv_formats", "bound_by_share", "lower_bound", "layers",
          "stalls", "products_seconds", "rest"}) {
      record.erase(key);
    }
    std::string id = fmt::format("combined {} {}", how_.method_name(), point_text(*outcome.point));
    for (const Part& part : parts_) {
      id += fmt::format(" {} {}", part.record.at("id").get<std::string>(), part.weight);
    }
    record["id"] = content_hash(id);
    record["workload"] = "all workloads: " + std::string(how_.method_name());
    for (const char* key : kAmounts) {
      record[key] = time([&](const Part& part) { return part.record.at(key).get<double>(); });
    }
    record["seconds"] = outcome.seconds;
    record["utilisation"] = outcome.utilisation;
    record["roofline_share"] = share("roofline_share");
    record["compulsory_bytes"] =
        time([](const Part& part) { return part.record.at("compulsory_bytes").get<double>(); });
    record["macs_per_second_per_ge"] =
        record["macs"].get<double>() / outcome.seconds / outcome.area;
    for (auto& [key, value] : record["energy"].items()) {
      value = sum([name = key](const Part& part) {
        return part.record.at("energy").at(name).template get<double>();
      });
    }
    record["weights"] = Json::object();
    record["layers"] = Json::array();
    for (const Part& part : parts_) {
      record["weights"][part.outcome->workload->name] = part.weight;
      record["layers"].push_back(layer_of(part));
    }
    if (outcome.on_front) record["pareto"] = {kFront};
    return record;
  }

 private:
  template <typename Value>
  double sum(const Value& value) const {
    double sum = 0;
    for (const Part& part : parts_) sum += part.weight * value(part);
    return sum;
  }
  template <typename Value>
  double time(const Value& value) const {
    if (how_.method == Combination::Method::worst) return worst_->weight * value(*worst_);
    return sum(value);
  }
  // A share of the cycles. `sum`: the average, weighted by cycles; `worst`: of the slowest part.
  double share(const char* key) const {
    const auto cycles = [](const Part& part) { return part.outcome->cycles; };
    return time([&](const Part& part) {
             return part.record.at(key).template get<double>() * cycles(part);
           }) /
           time(cycles);
  }

  std::vector<Part> parts_;
  const Combination& how_;
  const Part* worst_;
};

}  // namespace

Combined combine(const SweepResult& result, std::size_t workloads, const Combination& how) {
  std::vector<Combiner> combiners;
  Combined combined;
  for (std::size_t i = 0; i < result.outcomes.size();) {
    std::vector<Part> parts;
    const Point* point = result.outcomes[i].point;
    for (; i < result.outcomes.size() && result.outcomes[i].point == point; i++) {
      const Outcome& one = result.outcomes[i];
      parts.push_back({&one, result.records[i], how.weight(one.workload->name)});
    }
    if (parts.size() != workloads) continue;
    combiners.emplace_back(std::move(parts), how);
    combined.outcomes.push_back(combiners.back().outcome());
  }
  mark_fronts(combined.outcomes,
              [&](std::size_t i) { return text_without_engine(*combined.outcomes[i].point); });
  for (std::size_t i = 0; i < combiners.size(); i++) {
    combined.records.push_back(combiners[i].record(combined.outcomes[i]));
  }
  return combined;
}

}  // namespace mxe::explore
