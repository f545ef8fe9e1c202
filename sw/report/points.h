// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mxe::report {

struct Exploration {
  std::vector<nlohmann::ordered_json> points;  ///< lines of points.jsonl, then of combined.jsonl
  std::map<std::size_t, std::string>
      traces;  ///< by index of the point: path relative to the folder
  nlohmann::ordered_json space;
  std::vector<nlohmann::ordered_json> mixtures;  ///< lines of formats.jsonl
  std::size_t combined = 0;                      ///< points at the end that combine all workloads
  std::size_t cut_line = 0;  ///< number of the incomplete last line of an interrupted run, else 0
};

/// Reads points.jsonl and, if they exist, space.json, formats.jsonl and combined.jsonl; finds
/// traces/<id>.json.gz, else .json. Throws Error with file and line for missing or malformed
/// contents.
Exploration read_exploration(const std::filesystem::path& folder);

/// These parse one file; `path` is for messages. parse_points() sets `points` and `cut_line`.
Exploration parse_points(const std::string& text, const std::string& path);
nlohmann::ordered_json parse_space(const std::string& text, const std::string& path);
std::vector<nlohmann::ordered_json> parse_combined(const std::string& text,
                                                   const std::string& path);
std::vector<nlohmann::ordered_json> parse_mixtures(const std::string& text,
                                                   const std::string& path);

}  // namespace mxe::report
