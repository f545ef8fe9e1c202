// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mxe::coverage {

/// Hit counts by group and bin; bins that were not hit are absent.
using BinCounts = std::map<std::string, std::map<std::string, uint64_t>>;

void add(BinCounts& counts, const BinCounts& more);

/// Goal of a group in a short run, as in continuous integration: hit at least one bin, or all.
enum class ShortRun : uint8_t { some, all };

/// Functional coverage: groups of bins, defined before the run so that unreached bins are counted.
class Bins {
 public:
  void define(const std::string& group, const std::string& about, ShortRun short_run,
              const std::vector<std::string>& bins);
  void hit(const std::string& group, const std::string& bin, uint64_t times = 1);
  void add(const BinCounts& counts);

  BinCounts counts() const;
  /// All groups and bins in the order of definition.
  nlohmann::ordered_json to_json() const;

 private:
  struct Group {
    std::string name, about;
    ShortRun short_run;
    std::vector<std::string> order;
    std::map<std::string, uint64_t> bins;
  };

  Group& find(const std::string& name);

  std::vector<Group> groups_;
};

/// All combinations of the parts: cross({{"a", "b"}, {"x"}}) -> "a, x", "b, x".
std::vector<std::string> cross(const std::vector<std::vector<std::string>>& parts,
                               const std::string& separator = ", ");

}  // namespace mxe::coverage
