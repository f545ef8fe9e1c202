// SPDX-License-Identifier: Apache-2.0
#include "sw/report/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"

namespace mxe::report {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A known key and its type. Unknown keys are dropped, because they could carry an attack.
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
bool is_texts(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), is_text);
}
bool is_scalar(const Json& value) {
  return value.is_number() || value.is_string() || value.is_boolean();
}
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
    {"memory", is_text, "a text", false},
    {"mem_outstanding_reads", is_number, "a number", false},
    {"mem_outstanding_writes", is_number, "a number", false},
    {"clock_mhz", is_number, "a number", false},
    {"engines", is_number, "a number", false},
    {"batch", is_number, "a number", false},
    {"tokens", is_number, "a number", false},
    {"macs", is_number, "a number", false},
    {"item_name", is_text, "a text", false},
    {"items_per_second", is_number, "a number", false},
    {"products_seconds", is_number, "a number", false},
    {"macs_per_second_per_ge", is_number, "a number", false},
    {"utilisation", is_number, "a number", false},
    {"roofline_share", is_number, "a number", false},
    {"bytes_read", is_number, "a number", false},
    {"bytes_written", is_number, "a number", false},
    {"compulsory_bytes", is_number, "a number", false},
    {"sqnr_db", is_number, "a number", false},
    {"sqnr_layers", is_number, "a number", false},
    {"bound_by", is_text, "a text", false},
    {"bound_by_share", is_number, "a number", false},
    {"mem_half_duplex", is_number, "a number", false},
    {"port_bytes_per_cycle", is_number, "a number", false},
    {"b_bytes", is_number, "a number", false},
    {"weight_bytes", is_number, "a number", false},
    {"kv_bytes", is_number, "a number", false},
    {"kv_formats", is_texts, "an array of texts", false},
    {"weights", is_object, "an object", false},
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

constexpr Key kSpaceKeys[] = {
    {"skipped", is_object, "an object", false},
    {"unmet", is_object, "an object", false},
};

constexpr Key kLayerKeys[] = {
    {"name", is_text, "a text", true},
    {"cycles", is_positive, "a number above 0", true},
    {"m", is_number, "a number", false},
    {"n", is_number, "a number", false},
    {"k", is_number, "a number", false},
    {"macs", is_number, "a number", false},
    {"count", is_number, "a number", false},
    {"format_a", is_text, "a text", false},
    {"format_b", is_text, "a text", false},
    {"bound_cycles", is_number, "a number", false},
    {"bound_by", is_text, "a text", false},
    {"b", is_text, "a text", false},
    {"b_bytes", is_number, "a number", false},
    {"stalls", is_object, "an object", false},
    {"bytes_read", is_number, "a number", false},
    {"bytes_written", is_number, "a number", false},
    {"sqnr_db", is_number, "a number", false},
};

template <std::size_t Keys>
Json checked(const Json& object, const Key (&keys)[Keys], const std::string& place) {
  if (!object.is_object()) throw Error(place + ": not a JSON object");
  Json known = Json::object();
  for (const Key& key : keys) {
    const auto found = object.find(key.name);
    if (found == object.end() || found->is_null()) {
      if (key.needed) throw Error(fmt::format("{}: '{}' is missing", place, key.name));
    } else if (!key.is_right(*found)) {
      throw Error(fmt::format("{}: '{}' must be {}", place, key.name, key.wanted));
    } else {
      known[key.name] = *found;
    }
  }
  return known;
}

void require_all(const Json& object, const char* name, bool (*is_right)(const Json&),
                 const char* wanted, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) return;
  for (const auto& [key, value] : found->items()) {
    if (is_right(value) || value.is_boolean() || value.is_null()) continue;
    throw Error(fmt::format("{}: '{}' of '{}' must be {}", place, printable(key), name, wanted));
  }
}

void require_numbers(const Json& object, const char* name, const std::string& place) {
  require_all(object, name, is_number, "a number", place);
}

Json parse(const std::string& line, const std::string& place) {
  try {
    return numerics::parse_shallow<Json>(line);
  } catch (const Json::exception&) {
    throw Error(place + ": not JSON");
  } catch (const std::invalid_argument& error) {
    throw Error(fmt::format("{}: {}", place, error.what()));
  }
}

Json read_point(const std::string& line, const std::string& place) {
  Json point = checked(parse(line, place), kPointKeys, place);
  require_all(point, "parameters", is_scalar, "a number or a text", place);
  for (const char* name : {"area", "energy", "stalls", "weights"}) {
    require_numbers(point, name, place);
  }
  if (point.contains("layers")) {
    for (Json& layer : point["layers"]) {
      layer = checked(layer, kLayerKeys, place + ": layers");
      require_numbers(layer, "stalls", place + ": layers");
    }
  }
  return point;
}

Json read_mixture(const std::string& line, const std::string& place) {
  Json mixture = checked(parse(line, place), kMixtureKeys, place);
  for (Json& layer : mixture["layers"]) {
    layer = checked(layer, kMixtureLayerKeys, place + ": layers");
  }
  return mixture;
}

/// The keys of kSpaceKeys of a space; throws Error if one is wrong. `skipped` and `unmet` hold a
/// number per reason.
Json checked_space(const Json& space, const std::string& path) {
  Json known = checked(space, kSpaceKeys, path + ":1");
  for (const char* name : {"skipped", "unmet"}) require_numbers(known, name, path + ":1");
  return known;
}

/// Calls read(line, number, line has no newline) for lines that are not blank, until it returns
/// false.
template <typename Read>
void for_each_line(const std::string& text, const Read& read) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); number++) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!read(line, number, lines.eof())) return;
  }
}

template <typename Read>
std::vector<Json> parse_lines(const std::string& text, const std::string& path, const Read& read) {
  std::vector<Json> all;
  for_each_line(text, [&](const std::string& line, std::size_t number, bool /*is_last*/) {
    all.push_back(read(line, fmt::format("{}:{}", path, number)));
    return true;
  });
  return all;
}

std::optional<std::string> text_of(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  return numerics::read_text(path);
}

/// The path of a point's trace relative to `folder`; empty if there is none.
std::string trace_of(const Json& point, const fs::path& folder) {
  const std::string id = point.at("id");
  // The id becomes part of a file name.
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (!std::all_of(id.begin(), id.end(), is_plain)) return {};
  std::string trace;
  for (const char* ending : {".json", ".json.gz"}) {
    const std::string relative = "traces/" + id + ending;
    if (fs::exists(folder / relative)) trace = relative;
  }
  return trace;
}

}  // namespace

Exploration parse_points(const std::string& text, const std::string& path) {
  Exploration result;
  for_each_line(text, [&](const std::string& line, std::size_t number, bool is_last) {
    if (is_last && !Json::accept(line)) {
      result.cut_line = number;
      return false;
    }
    result.points.push_back(read_point(line, fmt::format("{}:{}", path, number)));
    return true;
  });
  if (result.points.empty()) throw Error(path + ":1: no points");
  return result;
}

Json parse_space(const std::string& text, const std::string& path) {
  return checked_space(numerics::parse_json_file<Json>(text, path), path);
}

std::vector<Json> parse_mixtures(const std::string& text, const std::string& path) {
  return parse_lines(text, path, read_mixture);
}

std::vector<Json> parse_combined(const std::string& text, const std::string& path) {
  return parse_lines(text, path, read_point);
}

Exploration read_exploration(const fs::path& folder) {
  const fs::path path = folder / "points.jsonl";
  const std::optional<std::string> text = text_of(path);
  if (!text) throw Error(path.string() + ": there is no such file (mxe explore writes it)");
  Exploration result = parse_points(*text, path.string());
  for (std::size_t i = 0; i < result.points.size(); i++) {
    const std::string trace = trace_of(result.points[i], folder);
    if (!trace.empty()) result.traces[i] = trace;
  }
  const fs::path space = folder / "space.json", mixtures = folder / "formats.jsonl",
                 combined = folder / "combined.jsonl";
  if (const auto found = text_of(combined)) {
    for (Json& point : parse_combined(*found, combined.string())) {
      result.points.push_back(std::move(point));
      result.combined++;
    }
  }
  if (const auto found = text_of(space)) result.space = parse_space(*found, space.string());
  if (const auto found = text_of(mixtures)) {
    result.mixtures = parse_mixtures(*found, mixtures.string());
  }
  return result;
}

}  // namespace mxe::report
