// SPDX-License-Identifier: Apache-2.0
#include "sw/report/layers.h"

#include <algorithm>
#include <map>
#include <string>

namespace mxe::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFigures[] = {"cycles",   "bound_cycles", "bytes_read", "bytes_written",
                                    "bound_by", "b_bytes",      "sqnr_db"};

bool on_a_front(const Json& point) {
  const auto pareto = point.find("pareto");
  return pareto != point.end() && !pareto->empty();
}

class Numbering {
 public:
  std::size_t operator()(const std::string& key, const Json& value) {
    const auto [found, is_new] = numbers_.try_emplace(key, values_.size());
    if (is_new) values_.push_back(value);
    return found->second;
  }
  const Json& values() const { return values_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json values_ = Json::array();
};

Json take(Json& object, const char* key) {
  Json value = object.value(key, Json());
  object.erase(key);
  return value;
}

Json pack(Json layer, Numbering& common, Numbering& stalls) {
  Json figures = Json::array(), waits = Json::array();
  for (const char* key : kFigures) figures.push_back(take(layer, key));
  const Json stalls_of_layer = take(layer, "stalls");
  for (const auto& [name, cycles] : stalls_of_layer.items()) {
    const std::size_t place = stalls(name, name);
    while (waits.size() <= place) waits.push_back(0);
    waits[place] = cycles;
  }
  Json packed = Json::array({common(layer.dump(), layer)});
  packed.insert(packed.end(), figures.begin(), figures.end());
  packed.insert(packed.end(), waits.begin(), waits.end());
  return packed;
}

}  // namespace

std::size_t limit_layers(std::vector<Json>& points, std::size_t most) {
  std::vector<Json*> order;
  for (Json& point : points) order.push_back(&point);
  std::stable_partition(order.begin(), order.end(), [](Json* point) { return on_a_front(*point); });
  std::size_t kept = 0, without = 0;
  for (Json* point : order) {
    const auto layers = point->find("layers");
    if (layers == point->end() || layers->empty()) continue;
    if (kept + layers->size() <= most) {
      kept += layers->size();
    } else {
      point->erase("layers");
      without++;
    }
  }
  return without;
}

Json pack_layers(std::vector<Json>& points) {
  Numbering common, stalls;
  for (Json& point : points) {
    const auto layers = point.find("layers");
    if (layers == point.end()) continue;
    for (Json& layer : *layers) layer = pack(std::move(layer), common, stalls);
  }
  return {{"common", common.values()}, {"figures", kFigures}, {"stalls", stalls.values()}};
}

}  // namespace mxe::report
