// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/workload.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "model/numerics/error.h"
#include "model/numerics/files.h"
#include "model/numerics/printable.h"
#include "model/numerics/shallow_json.h"
#include "sw/explore/yaml_errors.h"

namespace mxe::explore {
namespace {

std::string trimmed(const std::string& text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
  return first < last ? std::string(first, last) : std::string();
}

// The fields of a line; SCALE-Sim's lines end in a comma.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back(trimmed(line.substr(begin, comma - begin)));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  if (fields.size() > 1 && fields.back().empty()) fields.pop_back();
  return fields;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A place in a file, for messages.
struct Place {
  const std::string& path;
  std::size_t line;

  [[noreturn]] void fail(const std::string& what) const {
    throw mx::Error(fmt::format("{}:{}: {}", path, line, mx::printable(what, mx::kLongestMessage)));
  }
  uint64_t number(const std::string& text, const char* name) const {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0 ||
        value > kMostElements) {
      fail(fmt::format("{} must be a whole number from 1 to {}, not '{}'", name, kMostElements,
                       text));
    }
    return value;
  }
};

enum class Kind { products, scale_sim_products, scale_sim_convolutions };

Kind kind_of(const std::vector<std::string>& header, const Place& place) {
  std::vector<std::string> names;
  for (const std::string& name : header) names.push_back(lower(name));
  if (names == std::vector<std::string>{"layer", "m", "n", "k", "count"}) return Kind::products;
  if (names.size() >= 4 && names[1] == "m" && names[2] == "n" && names[3] == "k") {
    return Kind::scale_sim_products;
  }
  if (names.size() >= 8 && names[1].rfind("ifmap", 0) == 0) return Kind::scale_sim_convolutions;
  place.fail(
      "the first line must be 'layer,M,N,K,count', or that of a topology of SCALE-Sim ('Layer, M, "
      "N, K,' or 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
      "Num Filter, Strides,')");
}

// Each factor is a number that was read, so no product of two wraps around.
std::size_t product_of(std::initializer_list<uint64_t> factors, const char* name,
                       const Place& place) {
  uint64_t product = 1;
  for (const uint64_t factor : factors) {
    product *= factor;
    if (product > kMostElements) {
      place.fail(fmt::format("{} is more than {}", name, kMostElements));
    }
  }
  return product;
}

// A convolution as a product: a row for each output pixel, a column for each filter.
Layer convolution(const std::vector<std::string>& fields, const Place& place) {
  const auto number = [&](std::size_t i, const char* name) {
    return place.number(fields[i], name);
  };
  const uint64_t height = number(1, "IFMAP Height"), width = number(2, "IFMAP Width");
  const uint64_t filter_height = number(3, "Filter Height");
  const uint64_t filter_width = number(4, "Filter Width");
  const uint64_t channels = number(5, "Channels"), filters = number(6, "Num Filter");
  const uint64_t stride = number(7, "Strides");
  const uint64_t stride_width = fields.size() > 8 ? number(8, "the second stride") : stride;
  if (filter_height > height || filter_width > width) {
    place.fail(fmt::format("a filter of {} x {} is larger than its input of {} x {}", filter_height,
                           filter_width, height, width));
  }
  const uint64_t rows = (height - filter_height) / stride + 1;
  const uint64_t columns = (width - filter_width) / stride_width + 1;
  Layer layer;
  layer.name = fields[0];
  layer.m = product_of({rows, columns}, "the number of output pixels", place);
  layer.n = filters;
  layer.k = product_of({filter_height, filter_width, channels}, "the size of a filter", place);
  return layer;
}

Layer layer_of(const std::vector<std::string>& fields, Kind kind, const Place& place) {
  const std::size_t least = kind == Kind::products ? 5 : kind == Kind::scale_sim_products ? 4 : 8;
  if (fields.size() < least) {
    place.fail(fmt::format("{} fields, but {} are needed", fields.size(), least));
  }
  if (kind == Kind::scale_sim_convolutions) return convolution(fields, place);
  Layer layer;
  layer.name = fields[0];
  layer.m = place.number(fields[1], "M");
  layer.n = place.number(fields[2], "N");
  layer.k = place.number(fields[3], "K");
  if (kind == Kind::products) layer.count = place.number(fields[4], "count");
  return layer;
}

// "# items: 2048 tokens"
void read_comment(const std::string& line, Workload& workload, const Place& place) {
  constexpr std::string_view kItems = "# items: ";
  if (line.rfind(kItems, 0) != 0) return;
  const std::string rest = line.substr(kItems.size());
  const std::size_t space = rest.find(' ');
  if (space == std::string::npos) place.fail("items are a number and a name: # items: 2048 tokens");
  workload.items = place.number(rest.substr(0, space), "the number of items");
  workload.item_name = trimmed(rest.substr(space));
}

}  // namespace

double Workload::macs() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.macs();
  return sum;
}

Workload read_workload(const std::string& path) {
  return parse_workload(mx::read_text(path), path);
}

Workload parse_workload(const std::string& text, const std::string& path) {
  std::istringstream file(text);
  Workload workload;
  workload.name = std::filesystem::path(path).stem().string();
  std::optional<Kind> kind;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); number++) {
    const Place place{path, number};
    line = trimmed(line);
    if (line.empty()) continue;
    if (!mx::is_utf8(line)) place.fail("not UTF-8");
    if (line[0] == '#') {
      read_comment(line, workload, place);
    } else if (!kind) {
      kind = kind_of(fields_of(line), place);
    } else {
      workload.layers.push_back(layer_of(fields_of(line), *kind, place));
    }
  }
  if (workload.layers.empty()) throw mx::Error(fmt::format("{}: no layers", path));
  return workload;
}

std::vector<LayerFormats> read_format_map(const std::string& path) {
  return parse_format_map(mx::read_text(path), path);
}

std::vector<LayerFormats> parse_format_map(const std::string& text, const std::string& path) {
  return with_places(text, path, [&](const YAML::Node& root) {
    if (!root.IsMap()) throw at(root, "must be a map of patterns to {format_a: F, format_b: F}");
    std::vector<LayerFormats> map;
    for (const auto& entry : root) {
      const YAML::Node formats = entry.second;
      if (!formats.IsMap() || !formats["format_a"] || !formats["format_b"] || formats.size() != 2) {
        throw at(entry.first, "a pattern needs {format_a: F, format_b: F}");
      }
      const auto format = [&](const char* key) {
        try {
          return mx::parse_format(formats[key].Scalar());
        } catch (const mx::Error& error) {
          throw at(formats[key], error.what());
        }
      };
      map.push_back({entry.first.Scalar(), format("format_a"), format("format_b")});
    }
    return map;
  });
}

void apply(const std::vector<LayerFormats>& map, Workload& workload) {
  for (Layer& layer : workload.layers) {
    const auto found = std::find_if(map.begin(), map.end(), [&](const LayerFormats& formats) {
      return fnmatch(formats.pattern.c_str(), layer.name.c_str(), 0) == 0;
    });
    if (found == map.end()) continue;
    layer.format_a = found->format_a;
    layer.format_b = found->format_b;
  }
}

}  // namespace mxe::explore
