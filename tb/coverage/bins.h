// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mxe {

/// How often each bin of each group was reached: group, bin, times. What was not reached is absent.
using BinCounts = std::map<std::string, std::map<std::string, uint64_t>>;

/// Adds the counts of another run.
void add(BinCounts& counts, const BinCounts& more);

/// What a short run, as in continuous integration, must reach of a group: something, or every bin.
enum class ShortRun : uint8_t { some, all };

/// Functional coverage: things that should happen in a regression, in groups of one kind each. All
/// of them are defined before anything runs, so that those that never happened are known too.
class Bins {
 public:
  /// `about` is one sentence for the report.
  void define(const std::string& group, const std::string& about, ShortRun short_run,
              const std::vector<std::string>& bins);
  /// Counts what happened. Throws mx::Error for what was not defined: the definitions are complete.
  void hit(const std::string& group, const std::string& bin, uint64_t times = 1);
  void add(const BinCounts& counts);

  BinCounts counts() const;
  /// Every group and every bin in the order of definition, unreached ones with 0.
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

/// All combinations of the parts, joined by `separator`: cross({{"a", "b"}, {"x"}}) is a, x and b,
/// x.
std::vector<std::string> cross(const std::vector<std::vector<std::string>>& parts,
                               const std::string& separator = ", ");

}  // namespace mxe
