// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mxe::report {

/// The points of an exploration and what was explored.
struct Exploration {
  std::vector<nlohmann::ordered_json> points;    ///< a line of points.jsonl each
  nlohmann::ordered_json space;                  ///< space.json, or null where there is none
  std::vector<nlohmann::ordered_json> mixtures;  ///< a line of formats.jsonl each, if it is there
  std::size_t cut_line = 0;  ///< the number of a last line that an interrupted run left half; or 0
};

/// Reads points.jsonl, space.json and formats.jsonl of `folder`. A point whose trace lies at
/// traces/<id>.json or traces/<id>.json.gz gets its relative path as `trace`. Throws mx::Error with
/// the file and the line of what is missing or malformed.
Exploration read_exploration(const std::filesystem::path& folder);

/// The texts of these files; `path` is for messages. The points fill `points` and `cut_line`.
Exploration parse_points(const std::string& text, const std::string& path);
nlohmann::ordered_json parse_space(const std::string& text, const std::string& path);
std::vector<nlohmann::ordered_json> parse_mixtures(const std::string& text,
                                                   const std::string& path);

}  // namespace mxe::report
