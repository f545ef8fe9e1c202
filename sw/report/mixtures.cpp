// SPDX-License-Identifier: Apache-2.0
#include "sw/report/mixtures.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace mxe::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFigures[] = {"cycles", "seconds", "sqnr_db", "correct", "chosen"};

class Pack {
 public:
  void add(const Json& mixture) {
    Json names = Json::array(), pairs = Json::array();
    for (const Json& layer : mixture["layers"]) {
      names.push_back(layer["name"]);
      pairs.push_back(number_of(layer["format_a"], layer["format_b"]));
    }
    if (mixtures_.empty()) names_ = names;
    if (names != names_) return;
    Json packed = Json::object();
    for (const char* key : kFigures) {
      if (mixture.contains(key)) packed[key] = mixture[key];
    }
    packed["layers"] = std::move(pairs);
    mixtures_.push_back(std::move(packed));
    exact_ = exact_ && mixture.value("exact", true);
  }

  Json json() const {
    return {{"names", names_}, {"pairs", pairs_}, {"exact", exact_}, {"mixtures", mixtures_}};
  }

 private:
  std::size_t number_of(const std::string& a, const std::string& b) {
    const auto [found, is_new] = numbers_.try_emplace({a, b}, pairs_.size());
    if (is_new) pairs_.push_back(Json::array({a, b}));
    return found->second;
  }

  Json names_ = Json::array(), pairs_ = Json::array(), mixtures_ = Json::array();
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  bool exact_ = true;
};

}  // namespace

Json pack_mixtures(const std::vector<Json>& mixtures) {
  std::vector<std::pair<std::string, Pack>> packs;
  std::map<std::string, std::size_t> places;
  for (const Json& mixture : mixtures) {
    const std::string workload = mixture["workload"];
    const auto [found, is_new] = places.try_emplace(workload, packs.size());
    if (is_new) packs.emplace_back(workload, Pack());
    packs[found->second].second.add(mixture);
  }
  Json json = Json::array();
  for (const auto& [workload, pack] : packs) json.push_back({workload, pack.json()});
  return json;
}

}  // namespace mxe::report
