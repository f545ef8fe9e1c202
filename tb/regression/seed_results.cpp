// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/seed_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"

namespace mxe::regression {
namespace {

Json to_json(const SeedResults& results) {
  Json cases = Json::array();
  for (const CaseResult& c : results.cases) cases.push_back(to_json(c));
  return {{"config", results.config},
          {"memory", results.memory},
          {"clock_mhz", results.clock_mhz},
          {"jobs_per_seed", results.jobs_per_seed},
          {"first_seed", results.first_seed},
          {"seconds", results.seconds},
          {"cases", cases}};
}

SeedResults seed_results_from_json(const Json& json) {
  SeedResults results;
  results.config = json.at("config");
  results.memory = json.at("memory");
  results.clock_mhz = json.at("clock_mhz");
  results.jobs_per_seed = json.at("jobs_per_seed");
  results.first_seed = json.at("first_seed");
  results.seconds = json.at("seconds");
  for (const Json& c : json.at("cases")) results.cases.push_back(case_result_from_json(c));
  return results;
}

/// For example "1 to 10" for first = 1, end = 11.
std::string range(uint64_t first, uint64_t end) {
  return end - first == 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, end - 1);
}

/// The options of the command line. `Run`: SeedResults or RegressionOptions.
template <class Run>
std::string settings(const Run& run) {
  std::string text = fmt::format("--config {} --jobs-per-seed {}", run.config, run.jobs_per_seed);
  if (run.memory.empty()) return text;
  text += " --memory " + run.memory;
  return run.memory == kDrawnDram ? text : fmt::format("{} --clock-mhz {}", text, run.clock_mhz);
}

class Merger {
 public:
  explicit Merger(const RegressionOptions& options) : options_(options), sources_(options.seeds) {
    merged_ = SeedResults(options);
    merged_.cases.resize(options.seeds);
  }

  void add(const std::string& path) {
    const SeedResults part = load_results(path);
    const std::string ran = settings(part), wanted = settings(options_);
    if (ran != wanted) throw Error(fmt::format("{} was run with {}, not {}", path, ran, wanted));
    for (std::size_t i = 0; i < part.cases.size(); i++) {
      add(path, part.first_seed + i, part.cases[i]);
    }
    merged_.seconds += part.seconds;
  }

  SeedResults result() {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < sources_.size(); i++) {
      const std::size_t first = i;
      while (i < sources_.size() && sources_[i].empty()) i++;
      if (i > first) missing.push_back(range(options_.first_seed + first, options_.first_seed + i));
    }
    if (!missing.empty()) {
      throw Error(fmt::format("none of the files has seed {}", fmt::join(missing, ", ")));
    }
    return std::move(merged_);
  }

 private:
  void add(const std::string& path, uint64_t seed, const CaseResult& result) {
    const uint64_t number = seed - options_.first_seed;
    if (number >= sources_.size()) {
      throw Error(fmt::format("{} has seed {}, wanted are {}", path, seed,
                              range(options_.first_seed, options_.first_seed + sources_.size())));
    }
    std::string& source = sources_[number];
    if (!source.empty()) throw Error(fmt::format("seed {} is in {} and {}", seed, source, path));
    source = path;
    merged_.cases[number] = result;
  }

  const RegressionOptions& options_;
  SeedResults merged_;
  std::vector<std::string> sources_;  ///< file with each seed, empty if missing
};

}  // namespace

void save_results(const std::string& path, const SeedResults& results) {
  // Flush to disk, because the machine may lose power.
  numerics::write_file(path, to_json(results).dump(1) + "\n", numerics::Durable::yes);
}

SeedResults load_results(const std::string& path) {
  const Json json = numerics::parse_json_file<Json>(numerics::read_text(path), path);
  try {
    return seed_results_from_json(json);
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: not a file of mxe cosim --results", path));
  }
}

SeedResults merge_results(const std::vector<std::string>& paths, const RegressionOptions& options) {
  Merger merger(options);
  for (const std::string& path : paths) merger.add(path);
  return merger.result();
}

}  // namespace mxe::regression
