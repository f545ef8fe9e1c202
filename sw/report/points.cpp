// SPDX-License-Identifier: Apache-2.0
#include "sw/report/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "model/numerics/error.h"
#include "model/numerics/files.h"
#include "model/numerics/printable.h"
#include "model/numerics/shallow_json.h"

namespace mxe::report {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// What a point must have, and what it may have but of no other type.
struct Key {
  const char* name;
  bool (*is_right)(const Json&);
  const char* wanted;
  bool needed;
};

bool is_text(const Json& value) { return value.is_string(); }
bool is_object(const Json& value) { return value.is_object(); }
bool is_array(const Json& value) { return value.is_array(); }
bool is_flag(const Json& value) { return value.is_boolean(); }
bool is_number(const Json& value) { return value.is_number(); }
bool is_positive(const Json& value) { return value.is_number() && value.get<double>() > 0; }

constexpr Key kPointKeys[] = {
    {"id", is_text, "a text", true},
    {"workload", is_text, "a text", true},
    {"parameters", is_object, "an object", true},
    {"cycles", is_positive, "a number above 0", true},
    {"seconds", is_positive, "a number above 0", true},
    {"format_a", is_text, "a text", false},
    {"format_b", is_text, "a text", false},
    {"format_d", is_text, "a text", false},
    {"mem_latency", is_number, "a number", false},
    {"mem_bytes_per_cycle", is_number, "a number", false},
    {"mem_outstanding_reads", is_number, "a number", false},
    {"mem_outstanding_writes", is_number, "a number", false},
    {"clock_mhz", is_number, "a number", false},
    {"engines", is_number, "a number", false},
    {"macs", is_number, "a number", false},
    {"items_per_second", is_number, "a number", false},
    {"utilisation", is_number, "a number", false},
    {"roofline_share", is_number, "a number", false},
    {"bytes_read", is_number, "a number", false},
    {"bytes_written", is_number, "a number", false},
    {"sqnr_db", is_number, "a number", false},
    {"stalls", is_object, "an object", false},
    {"area", is_object, "an object", false},
    {"energy", is_object, "an object", false},
    {"layers", is_array, "an array", false},
    {"pareto", is_array, "an array", false},
};

constexpr Key kMixtureKeys[] = {
    {"workload", is_text, "a text", true},
    {"cycles", is_positive, "a number above 0", true},
    {"seconds", is_positive, "a number above 0", true},
    {"sqnr_db", is_number, "a number", true},
    {"exact", is_flag, "true or false", false},
    {"chosen", is_flag, "true or false", false},
    {"correct", is_number, "a number", false},
    {"layers", is_array, "an array", true},
};

constexpr Key kMixtureLayerKeys[] = {
    {"name", is_text, "a text", true},
    {"format_a", is_text, "a text", true},
    {"format_b", is_text, "a text", true},
};

constexpr Key kLayerKeys[] = {
    {"name", is_text, "a text", true},
    {"cycles", is_positive, "a number above 0", true},
    {"macs", is_number, "a number", false},
    {"count", is_number, "a number", false},
    {"stalls", is_object, "an object", false},
    {"bytes_read", is_number, "a number", false},
    {"bytes_written", is_number, "a number", false},
};

template <std::size_t Keys>
void require(const Json& object, const Key (&keys)[Keys], const std::string& place) {
  if (!object.is_object()) throw mx::Error(place + ": not a JSON object");
  for (const Key& key : keys) {
    const auto found = object.find(key.name);
    if (found == object.end() || found->is_null()) {
      if (key.needed) throw mx::Error(fmt::format("{}: '{}' is missing", place, key.name));
    } else if (!key.is_right(*found)) {
      throw mx::Error(fmt::format("{}: '{}' must be {}", place, key.name, key.wanted));
    }
  }
}

void require_numbers(const Json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_object()) return;
  for (const auto& [key, value] : found->items()) {
    if (!value.is_number() && !value.is_boolean() && !value.is_null()) {
      throw mx::Error(
          fmt::format("{}: '{}' of '{}' must be a number", place, mx::printable(key), name));
    }
  }
}

Json parse(const std::string& line, const std::string& place) {
  try {
    return mx::parse_shallow<Json>(line);
  } catch (const Json::exception&) {
    throw mx::Error(place + ": not JSON");
  } catch (const std::invalid_argument& error) {
    throw mx::Error(fmt::format("{}: {}", place, error.what()));
  }
}

Json read_point(const std::string& line, const std::string& place) {
  Json point = parse(line, place);
  require(point, kPointKeys, place);
  for (const char* name : {"area", "energy", "stalls"}) require_numbers(point, name, place);
  for (const Json& layer : point.value("layers", Json::array())) {
    require(layer, kLayerKeys, place + ": layers");
    require_numbers(layer, "stalls", place + ": layers");
  }
  return point;
}

Json read_mixture(const std::string& line, const std::string& place) {
  Json mixture = parse(line, place);
  require(mixture, kMixtureKeys, place);
  for (const Json& layer : mixture["layers"]) require(layer, kMixtureLayerKeys, place + ": layers");
  return mixture;
}

/// Calls read(line, its number, whether it is a last one without an end) for all lines that are not
/// empty, as long as it returns true.
template <typename Read>
void for_each_line(const std::string& text, const Read& read) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); number++) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!read(line, number, lines.eof())) return;
  }
}

void link_trace(Json& point, const fs::path& folder) {
  const std::string id = point.at("id");
  // An id is part of a file name here: nothing but letters and digits is.
  if (!std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c); })) return;
  for (const char* ending : {".json", ".json.gz"}) {
    const std::string relative = "traces/" + id + ending;
    if (fs::exists(folder / relative)) point["trace"] = relative;
  }
}

}  // namespace

Exploration parse_points(const std::string& text, const std::string& path) {
  Exploration result;
  for_each_line(text, [&](const std::string& line, std::size_t number, bool is_last) {
    // A last line without an end: an interrupted run may have left half of it.
    if (is_last && !Json::accept(line)) {
      result.cut_line = number;
      return false;
    }
    result.points.push_back(read_point(line, fmt::format("{}:{}", path, number)));
    return true;
  });
  if (result.points.empty()) throw mx::Error(path + ":1: no points");
  return result;
}

Json parse_space(const std::string& text, const std::string& path) {
  return mx::parse_json_file<Json>(text, path);
}

std::vector<Json> parse_mixtures(const std::string& text, const std::string& path) {
  std::vector<Json> mixtures;
  for_each_line(text, [&](const std::string& line, std::size_t number, bool /*is_last*/) {
    mixtures.push_back(read_mixture(line, fmt::format("{}:{}", path, number)));
    return true;
  });
  return mixtures;
}

Exploration read_exploration(const fs::path& folder) {
  const fs::path path = folder / "points.jsonl";
  if (!fs::exists(path)) {
    throw mx::Error(path.string() + ": there is no such file (mxe explore writes it)");
  }
  Exploration result = parse_points(mx::read_text(path), path.string());
  for (Json& point : result.points) link_trace(point, folder);
  const fs::path space = folder / "space.json", mixtures = folder / "formats.jsonl";
  if (fs::exists(space)) result.space = parse_space(mx::read_text(space), space.string());
  if (fs::exists(mixtures)) {
    result.mixtures = parse_mixtures(mx::read_text(mixtures), mixtures.string());
  }
  return result;
}

}  // namespace mxe::report
