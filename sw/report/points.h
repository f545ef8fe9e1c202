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
  std::map<std::size_t, std::string> traces;  ///< relative path of the trace, by index of the point
  nlohmann::ordered_json space;
  std::vector<nlohmann::ordered_json> mixtures;  ///< lines of formats.jsonl
  std::size_t combined = 0;  ///< number of points at the end that combine all workloads
  std::size_t cut_line = 0;  ///< number of an incomplete last line of an interrupted run, else 0
};

/// Reads points.jsonl, space.json, formats.jsonl and combined.jsonl of `folder`, and finds the
/// traces traces/<id>.json or traces/<id>.json.gz. Drops keys that the page does not use. Throws
/// Error, which names the file and the line, for missing or malformed contents.
Exploration read_exploration(const std::filesystem::path& folder);

/// For the text of one file; `path` is for messages. parse_points() sets `points` and `cut_line`.
Exploration parse_points(const std::string& text, const std::string& path);
nlohmann::ordered_json parse_space(const std::string& text, const std::string& path);
std::vector<nlohmann::ordered_json> parse_combined(const std::string& text,
                                                   const std::string& path);
std::vector<nlohmann::ordered_json> parse_mixtures(const std::string& text,
                                                   const std::string& path);

}  // namespace mxe::report
