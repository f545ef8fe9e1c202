// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mxe::report {

/// The points of an exploration and what was explored.
struct Exploration {
  std::vector<nlohmann::ordered_json> points;    ///< a line of points.jsonl each
  std::map<std::size_t, std::string> traces;     ///< of some points, by their place: relative paths
  nlohmann::ordered_json space;                  ///< of space.json, or null where there is none
  std::vector<nlohmann::ordered_json> mixtures;  ///< a line of formats.jsonl each, if it is there
  std::size_t combined = 0;  ///< of the points, the last ones: all workloads together
  std::size_t cut_line = 0;  ///< the number of a last line that an interrupted run left half; or 0
};

/// Reads points.jsonl, space.json, formats.jsonl and combined.jsonl of `folder`, and finds the
/// traces traces/<id>.json or traces/<id>.json.gz of its points. Keys that the page does not use
/// are left out. Throws mx::Error with the file and the line of what is missing or malformed.
Exploration read_exploration(const std::filesystem::path& folder);

/// The texts of these files; `path` is for messages. The points fill `points` and `cut_line`.
Exploration parse_points(const std::string& text, const std::string& path);
nlohmann::ordered_json parse_space(const std::string& text, const std::string& path);
std::vector<nlohmann::ordered_json> parse_combined(const std::string& text,
                                                   const std::string& path);
std::vector<nlohmann::ordered_json> parse_mixtures(const std::string& text,
                                                   const std::string& path);

}  // namespace mxe::report
