// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/format_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "sw/digits/network.h"
#include "sw/digits/quantized.h"
#include "sw/explore/cache.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/mixed_formats.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::ordered_json;

struct Pair {
  OperandFormat a, b;

  std::string text() const { return a.name() + " x " + b.name(); }
};

// Layers of equal name share their formats, because a format map selects layers by name.
struct MixedLayer {
  std::string name;
  std::vector<Pair> pairs;
  std::vector<FormatCost> costs;
};

const ProductAccuracy::Product& product_of(const Layer& layer, const Workload& workload,
                                           const ProductAccuracy& accuracy) {
  if (const ProductAccuracy::Product* product = accuracy.find(layer, workload)) return *product;
  const ProductAccuracy::Product* other = accuracy.named(layer.name);
  if (other && other->k != layer.k) {
    throw Error(fmt::format("the tensors of the layer {} have K = {}, but in {} it has {}",
                            layer.name, other->k, workload.name, layer.k));
  }
  throw Error(
      fmt::format("--formats needs tensors {0}.a and {0}.b for the layer {0} of {1} (--tensors)",
                  layer.name, workload.name));
}

std::map<std::pair<std::string, std::string>, Json> read_points(const std::filesystem::path& folder,
                                                                const std::string& workload) {
  std::map<std::pair<std::string, std::string>, Json> records;
  std::ifstream file(folder / "points.jsonl");
  for (std::string line; std::getline(file, line);) {
    Json record = Json::parse(line);
    if (record.at("workload") != workload) continue;
    const auto key = std::make_pair(record.at("format_a").get<std::string>(),
                                    record.at("format_b").get<std::string>());
    records[key] = std::move(record);
  }
  return records;
}

std::vector<MixedLayer> layers_of(const Workload& workload, const std::vector<Point>& points,
                                  const ProductAccuracy& accuracy,
                                  const std::filesystem::path& folder) {
  const auto records = read_points(folder, workload.name);
  std::vector<MixedLayer> layers;
  for (std::size_t i = 0; i < workload.layers.size(); i++) {
    const Layer& layer = workload.layers[i];
    auto mixed = std::find_if(layers.begin(), layers.end(),
                              [&](const MixedLayer& other) { return other.name == layer.name; });
    if (mixed == layers.end()) {
      mixed = layers.insert(mixed, {layer.name, {}, {}});
      for (const Point& point : points) {
        mixed->pairs.push_back({format_a(layer, point), format_b(layer, point)});
      }
      mixed->costs.resize(points.size());
    }
    const ProductAccuracy::Product& product = product_of(layer, workload, accuracy);
    for (std::size_t at = 0; at < points.size(); at++) {
      const Pair pair = mixed->pairs[at];
      const Json& record = records.at({points[at].format_a.name(), points[at].format_b.name()});
      FormatCost& cost = mixed->costs[at];
      cost.cycles += record.at("layers").at(i).at("cycles").get<uint64_t>();
      const double gain = product.gain.value_or(static_cast<double>(layer.count));
      cost.noise += gain * accuracy.relative_noise(product, pair.a, pair.b);
    }
  }
  return layers;
}

class DigitsNetwork {
 public:
  explicit DigitsNetwork(const Point& point)
      : digits_(digits::load_digits(digits::digits_directory())),
        dual_(point.params.fp4_dual != 0) {}

  /// True if the layers are those of the network, in formats that it has (MX).
  bool is(const std::vector<MixedLayer>& layers) const {
    if (layers.size() != digits_.layers.size()) return false;
    for (const MixedLayer& layer : layers) {
      for (const Pair& pair : layer.pairs) {
        if (pair.a.nvfp4 || pair.b.nvfp4) return false;
      }
    }
    for (std::size_t i = 0; i < layers.size(); i++) {
      if (layers[i].name != digits::digits_layer_name(i)) return false;
    }
    return true;
  }
  std::size_t images() const { return digits_.count; }
  std::size_t correct(const std::vector<MixedLayer>& layers, const Mixture& mixture) const {
    std::vector<digits::Variant> variants;
    for (std::size_t i = 0; i < layers.size(); i++) {
      const Pair pair = layers[i].pairs[mixture.choice[i]];
      variants.push_back({pair.a.element, pair.b.element});
    }
    return digits::count_correct(digits::quantized_logits(digits_, variants, dual_),
                                 digits_.labels);
  }

 private:
  digits::Digits digits_;
  bool dual_;
};

struct Result {
  const Workload& workload;
  const Point& point;
  std::vector<MixedLayer> layers;
  MixedFront front;
  std::vector<std::size_t> correct;  // images read right, by mixture; empty for other networks
  std::size_t images = 0;
  std::optional<std::size_t> chosen;
  std::vector<int> least_bits;  // by layer, over mixtures within the SQNR budget; empty without it

  double seconds(const Mixture& mixture) const {
    return static_cast<double>(mixture.cycles) / (point.clock_mhz * 1e6);
  }
  const Pair& pair(std::size_t layer, const Mixture& mixture) const {
    return layers[layer].pairs[mixture.choice[layer]];
  }
};

std::optional<std::size_t> choose(const Result& result, const FormatSearch& search) {
  const std::vector<Mixture>& all = result.front.mixtures;
  if (search.sqnr_db) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Mixture& one) {
      return one.sqnr_db() >= *search.sqnr_db;
    });
    if (found == all.end()) {
      throw Error(fmt::format("no formats give {} an SQNR of {} dB; the best is {:.2f} dB",
                              result.workload.name, *search.sqnr_db, all.back().sqnr_db()));
    }
    return found - all.begin();
  }
  if (search.cycles) {
    const auto beyond = std::find_if(
        all.begin(), all.end(), [&](const Mixture& one) { return one.cycles > *search.cycles; });
    if (beyond == all.begin()) {
      throw Error(fmt::format("no formats run {} in {} cycles; the fastest take {}",
                              result.workload.name, *search.cycles, all.front().cycles));
    }
    return beyond - all.begin() - 1;
  }
  return std::nullopt;
}

// For each layer: the smallest max(bits of A, bits of B) in any mixture with at least this SQNR.
std::vector<int> least_bits(const Result& result, const std::vector<std::vector<FormatCost>>& costs,
                            double sqnr_db) {
  // The maximum keeps the chosen mixture within the budget although pow() rounds.
  const double noise =
      std::max(std::pow(10, -sqnr_db / 10), result.front.mixtures[*result.chosen].noise);
  const std::vector<std::vector<bool>> possible = possible_choices(costs, noise);
  std::vector<int> bits;
  for (std::size_t i = 0; i < possible.size(); i++) {
    int& least = bits.emplace_back(std::numeric_limits<int>::max());
    for (std::size_t at = 0; at < possible[i].size(); at++) {
      const Pair& pair = result.layers[i].pairs[at];
      if (!possible[i][at]) continue;
      least = std::min(least, std::max(numerics::element_format(pair.a.element).bits,
                                       numerics::element_format(pair.b.element).bits));
    }
  }
  return bits;
}

// "3 of mxfp8_e4m3 x mxfp4_e2m1, 2 of ...", the most frequent first.
std::string formats_text(const Result& result, const Mixture& mixture) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (std::size_t i = 0; i < result.layers.size(); i++) {
    const std::string text = result.pair(i, mixture).text();
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& one) { return one.first == text; });
    if (found == counts.end()) {
      counts.emplace_back(text, 1);
    } else {
      found->second++;
    }
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [pair, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, pair);
  }
  return text;
}

void print_front(const Result& result, std::size_t most) {
  const std::vector<Mixture>& all = result.front.mixtures;
  fmt::print("\n{}: {} mixtures of formats on the front of cycles and accuracy{}\n",
             result.workload.name, all.size(),
             result.front.exact ? "" : " (the best of equal ranges of cycles, and the hull)");
  fmt::print("{:>14} {:>12} {:>8}{}  layers in formats A x B\n", "cycles", "ms", "SQNR dB",
             result.correct.empty() ? "" : " digits right");
  const std::size_t rows = std::min(most, all.size());
  for (std::size_t row = 0; row < rows; row++) {
    // Prints the first and last mixture and evenly spaced ones between them; only the first for 1.
    const std::size_t i = rows == 1 ? 0 : row * (all.size() - 1) / (rows - 1);
    const Mixture& one = all[i];
    fmt::print("{:>14} {:>12.4f} {:>8.2f}", one.cycles, 1e3 * result.seconds(one), one.sqnr_db());
    if (!result.correct.empty()) {
      fmt::print(" {:>12}", fmt::format("{}/{}", result.correct[i], result.images));
    }
    fmt::print("  {}\n", formats_text(result, one));
  }
}

Json to_json(const Result& result, std::size_t at) {
  const Mixture& one = result.front.mixtures[at];
  Json layers = Json::array();
  for (std::size_t i = 0; i < result.layers.size(); i++) {
    const Pair& pair = result.pair(i, one);
    layers.push_back({{"name", result.layers[i].name},
                      {"format_a", pair.a.name()},
                      {"format_b", pair.b.name()}});
    if (result.chosen == at && !result.least_bits.empty()) {
      layers.back()["least_bits"] = result.least_bits[i];
    }
  }
  Json json{{"workload", result.workload.name}, {"cycles", one.cycles},
            {"seconds", result.seconds(one)},   {"noise", one.noise},
            {"sqnr_db", one.sqnr_db()},         {"exact", result.front.exact}};
  if (!result.correct.empty()) json["correct"] = result.correct[at];
  if (result.chosen == at) json["chosen"] = true;
  json["layers"] = std::move(layers);
  return json;
}

// A quoted YAML pattern that matches only this name.
std::string quoted_pattern(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return Json(pattern).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string format_map_text(const Result& result, const Mixture& mixture) {
  std::string text = fmt::format("# {}: {} cycles, SQNR {:.2f} dB\n", result.workload.name,
                                 mixture.cycles, mixture.sqnr_db());
  for (std::size_t i = 0; i < result.layers.size(); i++) {
    const Pair& pair = result.pair(i, mixture);
    text += fmt::format("{}: {{format_a: {}, format_b: {}}}\n",
                        quoted_pattern(result.layers[i].name), pair.a.name(), pair.b.name());
  }
  return text;
}

void print_chosen(const Result& result, const std::filesystem::path& map) {
  const Mixture& one = result.front.mixtures[*result.chosen];
  fmt::print("\nIn the budget: {} cycles, SQNR {:.2f} dB", one.cycles, one.sqnr_db());
  if (!result.correct.empty()) {
    fmt::print(", {} of {} digits right", result.correct[*result.chosen], result.images);
  }
  const bool least = !result.least_bits.empty();
  fmt::print(" ({})\n{:>14} {:>10}{}  layer\n", map.string(), "cycles", "noise",
             least ? " at least" : "");
  for (std::size_t i = 0; i < result.layers.size(); i++) {
    const FormatCost& cost = result.layers[i].costs[one.choice[i]];
    fmt::print("{:>14} {:>8.1f} %", cost.cycles, 100 * cost.noise / one.noise);
    if (least) fmt::print(" {:>8}", fmt::format("{} bits", result.least_bits[i]));
    fmt::print("  {}: {}\n", result.layers[i].name, result.pair(i, one).text());
  }
}

}  // namespace

void require_format_choices(const std::vector<Point>& points,
                            const std::vector<Workload>& workloads,
                            const ProductAccuracy& accuracy) {
  const auto rest = [](const Point& point) {
    return fmt::format("{} {} {}", hardware_text(point), point.clock_mhz, point.output.name());
  };
  for (const Point& point : points) {
    if (rest(point) == rest(points.front())) continue;
    throw Error("--formats needs a space of one engine with one memory and output format");
  }
  if (points.size() < 2) {
    throw Error("--formats needs a space of several pairs of format_a and format_b");
  }
  for (const Workload& workload : workloads) {
    for (const Layer& layer : workload.layers) product_of(layer, workload, accuracy);
  }
}

void search_formats(const std::vector<Point>& points, const std::vector<Workload>& workloads,
                    const ProductAccuracy& accuracy, const FormatSearch& search,
                    const std::filesystem::path& folder,
                    const std::function<void()>& before_printing) {
  std::optional<DigitsNetwork> network;
  if (search.digits) network.emplace(points.front());
  std::vector<Result> results;
  for (const Workload& workload : workloads) {
    Result result{
        workload, points.front(), layers_of(workload, points, accuracy, folder), {}, {}, 0, {}, {}};
    std::vector<std::vector<FormatCost>> costs;
    for (const MixedLayer& layer : result.layers) costs.push_back(layer.costs);
    result.front = mix_formats(costs);
    if (network && network->is(result.layers)) {
      result.images = network->images();
      for (const Mixture& one : result.front.mixtures) {
        result.correct.push_back(network->correct(result.layers, one));
      }
    }
    result.chosen = choose(result, search);
    if (search.sqnr_db) result.least_bits = least_bits(result, costs, *search.sqnr_db);
    results.push_back(std::move(result));
  }
  before_printing();
  std::string lines;
  for (const Result& result : results) {
    for (std::size_t i = 0; i < result.front.mixtures.size(); i++) {
      lines += to_json(result, i).dump() + "\n";
    }
    print_front(result, search.most_rows);
    if (!result.chosen) continue;
    const std::filesystem::path map = folder / (result.workload.name + ".formats.yaml");
    numerics::write_file(map, format_map_text(result, result.front.mixtures[*result.chosen]));
    print_chosen(result, map);
  }
  numerics::write_file(folder / "formats.jsonl", lines);
}

}  // namespace mxe::explore
