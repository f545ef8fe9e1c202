// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/seed_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

#include "model/numerics/error.h"

namespace mxe {
namespace {

Json to_json(const SeedResults& results) {
  Json cases = Json::array();
  for (const CaseResult& c : results.cases) cases.push_back(to_json(c));
  return {{"config", results.config},
          {"jobs_per_seed", results.jobs_per_seed},
          {"first_seed", results.first_seed},
          {"seconds", results.seconds},
          {"cases", cases}};
}

SeedResults seed_results_from_json(const Json& json) {
  SeedResults results;
  results.config = json.at("config");
  results.jobs_per_seed = json.at("jobs_per_seed");
  results.first_seed = json.at("first_seed");
  results.seconds = json.at("seconds");
  for (const Json& c : json.at("cases")) results.cases.push_back(case_result_from_json(c));
  return results;
}

/// A name beside `path` that no other process uses, on any machine that shares the directory.
std::string temporary_name(const std::string& path) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}.{}.{}", path, host.data(), getpid());
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Whether all of it reached the disk: a machine may lose power after the file has its name.
bool write_file(const std::string& path, const std::string& text) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "w"));
  return file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
         std::fflush(file.get()) == 0 && fsync(fileno(file.get())) == 0;
}

/// "1 to 10": seeds from `first` up to `end`, without it.
std::string range(uint64_t first, uint64_t end) {
  return end - first == 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, end - 1);
}

/// The seeds of a regression as their results come.
class Merger {
 public:
  explicit Merger(const RegressionOptions& options) : options_(options), sources_(options.seeds) {
    merged_ = {options.config, options.jobs_per_seed, options.first_seed, {}, 0};
    merged_.cases.resize(options.seeds);
  }

  void add(const std::string& path) {
    const SeedResults part = load_results(path);
    if (part.config != options_.config || part.jobs_per_seed != options_.jobs_per_seed) {
      throw mx::Error(fmt::format(
          "{} was run with --config {} --jobs-per-seed {}, not --config {} --jobs-per-seed {}",
          path, part.config, part.jobs_per_seed, options_.config, options_.jobs_per_seed));
    }
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
      throw mx::Error(fmt::format("none of the files has seed {}", fmt::join(missing, ", ")));
    }
    return std::move(merged_);
  }

 private:
  void add(const std::string& path, uint64_t seed, const CaseResult& result) {
    const uint64_t number = seed - options_.first_seed;
    if (number >= sources_.size()) {
      throw mx::Error(
          fmt::format("{} has seed {}, wanted are {}", path, seed,
                      range(options_.first_seed, options_.first_seed + sources_.size())));
    }
    std::string& source = sources_[number];
    if (!source.empty())
      throw mx::Error(fmt::format("seed {} is in {} and {}", seed, source, path));
    source = path;
    merged_.cases[number] = result;
  }

  const RegressionOptions& options_;
  SeedResults merged_;
  std::vector<std::string> sources_;  ///< the file that had each seed, empty if none has
};

}  // namespace

void save_results(const std::string& path, const SeedResults& results) {
  const std::string temporary = temporary_name(path);
  if (write_file(temporary, to_json(results).dump(1) + "\n") &&
      std::rename(temporary.c_str(), path.c_str()) == 0) {
    return;
  }
  std::remove(temporary.c_str());
  throw mx::Error(fmt::format("cannot write '{}'", path));
}

SeedResults load_results(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw mx::Error(fmt::format("cannot read '{}'", path));
  try {
    return seed_results_from_json(Json::parse(file));
  } catch (const Json::exception& error) {
    throw mx::Error(fmt::format("{}: {}", path, error.what()));
  }
}

SeedResults merge_results(const std::vector<std::string>& paths, const RegressionOptions& options) {
  Merger merger(options);
  for (const std::string& path : paths) merger.add(path);
  return merger.result();
}

}  // namespace mxe
