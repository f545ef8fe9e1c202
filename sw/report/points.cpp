// SPDX-License-Identifier: Apache-2.0
#include "sw/report/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "model/numerics/error.h"

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
      throw mx::Error(fmt::format("{}: '{}' of '{}' must be a number", place, key, name));
    }
  }
}

Json parse(const std::string& text, const std::string& place) {
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw mx::Error(place + ": not JSON");
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

/// The first line that starts with something wrong, for a file that is one JSON value.
Json read_space(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return nullptr;
  try {
    return Json::parse(file);
  } catch (const Json::parse_error& error) {
    std::ifstream again(path);
    std::string text(error.byte, '\0');
    again.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(again.gcount()));
    throw mx::Error(fmt::format("{}:{}: not JSON", path.string(),
                                1 + std::count(text.begin(), text.end(), '\n')));
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

Exploration read_exploration(const fs::path& folder) {
  const fs::path path = folder / "points.jsonl";
  std::ifstream file(path);
  if (!file) throw mx::Error(path.string() + ":1: cannot be read (mxe explore writes it)");
  Exploration result;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); number++) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (file.eof() && !Json::accept(line)) {
      result.cut_line = number;
      break;
    }
    result.points.push_back(read_point(line, fmt::format("{}:{}", path.string(), number)));
    link_trace(result.points.back(), folder);
  }
  if (result.points.empty()) throw mx::Error(path.string() + ":1: no points");
  result.space = read_space(folder / "space.json");
  return result;
}

}  // namespace mxe::report
