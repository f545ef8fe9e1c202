// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"
#include "sw/explore/csv_table.h"
#include "sw/explore/yaml_errors.h"

namespace mxe::explore {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 26;
constexpr std::size_t kMostLayers = 100'000;

enum class Kind { products, convolutions };

constexpr const char *kLayer = "layer", *kSparsity = "Sparsity";

std::vector<Column> columns_of(Kind kind) {
  const Column layer{kLayer, true, {"layer name", "name", "l"}};
  const Column sparsity{
      kSparsity, false, {"sparsity ratio"}};  // "2:4": 2 of 4 weights are not zero
  if (kind == Kind::products) {
    return {layer,           {"M", true, {}},      {"N", true, {}},
            {"K", true, {}}, {"count", false, {}}, {"B", false, {}},
            sparsity};
  }
  return {layer,
          {"IFMAP Height", true, {}},
          {"IFMAP Width", true, {}},
          {"Filter Height", true, {}},
          {"Filter Width", true, {}},
          {"Channels", true, {"channel"}},
          {"Num Filter", true, {"num filters"}},
          {"Strides", false, {"stride"}},
          {"Stride Height", false, {}},
          {"Stride Width", false, {}},
          {"Batch Size", false, {"batch"}},
          sparsity};
}

Kind kind_of(const std::vector<std::string>& header, const FileLine& place) {
  const auto has = [&](const char* name) {
    return std::any_of(header.begin(), header.end(), [&](const std::string& field) {
      return column_key(field).rfind(name, 0) == 0;
    });
  };
  if (has("ifmap") || has("filter")) return Kind::convolutions;
  if (has("m") || has("n") || has("k") || has("layer")) return Kind::products;
  place.fail(
      "the first line names no column of a workload; allowed: 'layer,M,N,K,count' in any order, "
      "separated by commas, or the first line of a topology of SCALE-Sim ('Layer, M, N, K,' or "
      "'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides,')");
}

// Some SCALE-Sim files name both the height and the width column "IFMAP Width".
void correct_ifmap_height(std::vector<std::string>& header) {
  const auto is_width = [](const std::string& field) { return column_key(field) == "ifmap width"; };
  const auto is_height = [](const std::string& field) {
    return column_key(field) == "ifmap height";
  };
  if (std::count_if(header.begin(), header.end(), is_width) == 2 &&
      std::none_of(header.begin(), header.end(), is_height)) {
    *std::find_if(header.begin(), header.end(), is_width) = "IFMAP Height";
  }
}

// A product of two factors of at most kMostElements = 2^31 fits in 64 bits.
std::size_t product_of(std::initializer_list<uint64_t> factors, const char* name,
                       const FileLine& place) {
  uint64_t product = 1;
  for (const uint64_t factor : factors) {
    product *= factor;
    if (product > kMostElements) {
      place.fail(fmt::format("{} is more than {}", name, kMostElements));
    }
  }
  return product;
}

class Table {
 public:
  Table(std::vector<std::string> header, const FileLine& place)
      : kind_(kind_of(header, place)),
        header_(corrected(std::move(header)), columns_of(kind_), place) {
    const bool both = header_.has("Stride Height") && header_.has("Stride Width");
    const bool any = header_.has("Stride Height") || header_.has("Stride Width");
    if (kind_ == Kind::convolutions && (header_.has("Strides") == both || any != both)) {
      place.fail(
          "a stride is needed once; allowed: the column 'Strides', or the columns 'Stride "
          "Height' and 'Stride Width'");
    }
  }

  Layer layer(std::vector<std::string> fields, const FileLine& place) const {
    // SCALE-Sim allows a comment in the last field.
    if (fields.back().rfind('#', 0) == 0) fields.pop_back();
    header_.require_fields(fields, place);
    const Line line{header_, fields, place};
    require_dense(line);
    Layer layer = kind_ == Kind::products ? product(line) : convolution(line);
    layer.name = line.text(kLayer);
    if (layer.name.empty()) place.fail("the layer has no name");
    return layer;
  }

 private:
  struct Line {
    const CsvHeader& header;
    const std::vector<std::string>& fields;
    const FileLine& place;

    const std::string& text(const char* column) const { return header.field(fields, column); }
    uint64_t number(const char* column) const {
      return place.count(text(column), column, kMostElements);
    }
    uint64_t number_or_1(const char* column) const {
      return header.has(column) ? number(column) : 1;
    }
  };

  static std::vector<std::string> corrected(std::vector<std::string> header) {
    correct_ifmap_height(header);
    return header;
  }

  static void require_dense(const Line& line) {
    if (!line.header.has(kSparsity)) return;
    const std::string& ratio = line.text(kSparsity);
    if (ratio == "1:1") return;
    line.place.fail(fmt::format("Sparsity is '{}', but sparse products are not timed; allowed: 1:1",
                                printable(ratio)));
  }

  static StoredB stored_b(const std::string& text, const FileLine& place) {
    for (std::size_t i = 1; i < kStoredBNames.size(); i++) {
      if (text == kStoredBNames[i]) return static_cast<StoredB>(i);
    }
    place.fail(fmt::format("B is '{}'; allowed: {}", printable(text),
                           fmt::join(kStoredBNames.begin() + 1, kStoredBNames.end(), ", ")));
  }

  static Layer product(const Line& line) {
    Layer layer;
    layer.m = line.number("M");
    layer.n = line.number("N");
    layer.k = line.number("K");
    layer.count = line.number_or_1("count");
    if (line.header.has("B")) layer.b = stored_b(line.text("B"), line.place);
    return layer;
  }

  // A row per output pixel of each image, a column per filter; depthwise (the layer's name contains
  // "DP"): a product per channel. As in SCALE-Sim, the last window may exceed the edge: 10 pixels,
  // filter 3, stride 2: 5 windows.
  static Layer convolution(const Line& line) {
    const uint64_t height = line.number("IFMAP Height"), width = line.number("IFMAP Width");
    const uint64_t filter_height = line.number("Filter Height");
    const uint64_t filter_width = line.number("Filter Width");
    const uint64_t channels = line.number("Channels");
    const bool one_stride = line.header.has("Strides");
    const uint64_t stride_height = line.number(one_stride ? "Strides" : "Stride Height");
    const uint64_t stride_width = line.number(one_stride ? "Strides" : "Stride Width");
    if (filter_height > height || filter_width > width) {
      line.place.fail(fmt::format("a filter of {} x {} is larger than its input of {} x {}",
                                  filter_height, filter_width, height, width));
    }
    const auto windows = [](uint64_t size, uint64_t filter, uint64_t stride) {
      return (size - filter + stride - 1) / stride + 1;
    };
    const uint64_t rows = windows(height, filter_height, stride_height);
    const uint64_t columns = windows(width, filter_width, stride_width);
    const bool depthwise = line.text(kLayer).find("DP") != std::string::npos;
    Layer layer;
    layer.m = product_of({rows, columns, line.number_or_1("Batch Size")},
                         "the number of output pixels", line.place);
    layer.n = line.number("Num Filter");
    layer.k = product_of({filter_height, filter_width, depthwise ? 1 : channels},
                         "the size of a filter", line.place);
    layer.count = depthwise ? channels : 1;
    return layer;
  }

  Kind kind_;
  CsvHeader header_;
};

// Reads "# items: 2048 tokens"; ignores other comments. Spreadsheets append commas to comments.
void read_comment(std::string comment, Workload& workload, const FileLine& place) {
  while (!comment.empty() && comment.back() == ',') comment.pop_back();
  comment = trimmed(comment.substr(1));
  constexpr std::string_view kItems = "items:";
  if (column_key(comment.substr(0, kItems.size())) != kItems) return;
  const std::string rest = trimmed(comment.substr(kItems.size()));
  const std::size_t space = rest.find(' ');
  if (space == std::string::npos) {
    place.fail("items need a number and a name: # items: 2048 tokens");
  }
  if (workload.items != 0) place.fail("the number of items appears twice");
  workload.items = place.count(rest.substr(0, space), "the number of items", kMostElements);
  workload.item_name = trimmed(rest.substr(space));
}

}  // namespace

double Workload::macs() const {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.macs();
  return sum;
}

Workload read_workload(const std::string& path) {
  const std::string text = numerics::read_text(path, kMostBytes + 1);
  if (text.size() > kMostBytes) {
    throw Error(fmt::format("{}: more than {} bytes, the largest workload", path, kMostBytes));
  }
  return parse_workload(text, path);
}

Workload parse_workload(const std::string& text, const std::string& path) {
  std::istringstream file(text);
  Workload workload;
  workload.name = std::filesystem::path(path).stem().string();
  std::optional<Table> table;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); number++) {
    const FileLine place{path, number};
    if (!numerics::is_utf8(line)) place.fail("not UTF-8; a spreadsheet saves it as 'CSV UTF-8'");
    line = trimmed(line);
    if (line.rfind('#', 0) == 0) {
      read_comment(line, workload, place);
      continue;
    }
    const std::vector<std::string> fields = csv_fields(line, place);
    const auto is_empty = [](const std::string& field) { return field.empty(); };
    if (std::all_of(fields.begin(), fields.end(), is_empty)) continue;
    if (fields.size() == 1 && fields[0].rfind('#', 0) == 0) {
      read_comment(fields[0], workload, place);
    } else if (!table) {
      table.emplace(fields, place);
    } else {
      workload.layers.push_back(table->layer(fields, place));
      if (workload.layers.size() > kMostLayers) {
        place.fail(fmt::format("more than {} layers", kMostLayers));
      }
    }
  }
  if (workload.layers.empty()) throw Error(fmt::format("{}: no layers", path));
  return workload;
}

std::vector<LayerFormats> read_format_map(const std::string& path) {
  return parse_format_map(numerics::read_text(path), path);
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
          return OperandFormat::parse(formats[key].Scalar());
        } catch (const Error& error) {
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
