// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/bins.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"

namespace mxe::coverage {

void add(BinCounts& counts, const BinCounts& more) {
  for (const auto& [group, bins] : more) {
    for (const auto& [bin, times] : bins) counts[group][bin] += times;
  }
}

void Bins::define(const std::string& group, const std::string& about, ShortRun short_run,
                  const std::vector<std::string>& bins) {
  Group fresh{group, about, short_run, bins, {}};
  for (const std::string& bin : bins) {
    if (!fresh.bins.emplace(bin, 0).second) {
      throw Error(fmt::format("coverage: bin '{}' is defined twice in group '{}'", bin, group));
    }
  }
  groups_.push_back(std::move(fresh));
}

Bins::Group& Bins::find(const std::string& name) {
  const auto group =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == name; });
  if (group == groups_.end()) throw Error(fmt::format("coverage: no group '{}'", name));
  return *group;
}

void Bins::hit(const std::string& group, const std::string& bin, uint64_t times) {
  if (times == 0) return;
  Group& found = find(group);
  const auto counted = found.bins.find(bin);
  if (counted == found.bins.end()) {
    throw Error(fmt::format("coverage: no bin '{}' in group '{}'", bin, group));
  }
  counted->second += times;
}

void Bins::add(const BinCounts& counts) {
  for (const auto& [group, bins] : counts) {
    for (const auto& [bin, times] : bins) hit(group, bin, times);
  }
}

BinCounts Bins::counts() const {
  BinCounts counts;
  for (const Group& group : groups_) {
    for (const auto& [bin, times] : group.bins) {
      if (times != 0) counts[group.name][bin] = times;
    }
  }
  return counts;
}

nlohmann::ordered_json Bins::to_json() const {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const Group& group : groups_) {
    nlohmann::ordered_json bins = nlohmann::ordered_json::object();
    for (const std::string& bin : group.order) bins[bin] = group.bins.at(bin);
    groups.push_back({{"name", group.name},
                      {"about", group.about},
                      {"short_run", group.short_run == ShortRun::all ? "all" : "some"},
                      {"bins", bins}});
  }
  return {{"groups", groups}};
}

std::vector<std::string> cross(const std::vector<std::vector<std::string>>& parts,
                               const std::string& separator) {
  std::vector<std::string> joined{""};
  for (const std::vector<std::string>& part : parts) {
    std::vector<std::string> longer;
    for (const std::string& begin : joined) {
      for (const std::string& end : part) {
        longer.push_back(begin.empty() ? end : begin + separator + end);
      }
    }
    joined = std::move(longer);
  }
  return joined;
}

}  // namespace mxe::coverage
