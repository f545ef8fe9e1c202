// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <set>
#include <sstream>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "sw/explore/csv_table.h"
#include "sw/explore/workload.h"

namespace mxe::explore {
namespace {

constexpr std::string_view kZipf = "zipf:", kHistogram = "histogram:";
constexpr uint64_t kMostDraws = uint64_t{1} << 22;
constexpr double kMostExponent = 10;

// The part of `text` after `prefix`; empty if it begins in another way.
std::string_view text_after(std::string_view prefix, std::string_view text) {
  return text.substr(0, prefix.size()) == prefix ? text.substr(prefix.size()) : "";
}

double exponent_of(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && value <= kMostExponent ? value : 0;
}

std::vector<double> read_histogram(const std::string& path) {
  constexpr std::size_t kMostBytes = 10'000'000;
  std::istringstream file(numerics::read_text(path, kMostBytes));
  std::vector<double> tokens;
  std::set<std::string> names;
  std::optional<CsvHeader> header;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); number++) {
    const FileLine place{path, number};
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = csv_fields(line, place);
    if (!header) {
      header.emplace(fields, std::vector<Column>{{"expert", true, {}}, {"tokens", true, {}}},
                     place);
      continue;
    }
    header->require_fields(fields, place);
    const std::string& name = header->field(fields, "expert");
    if (!names.insert(name).second) {
      place.fail(fmt::format("expert '{}' appears twice", printable(name)));
    }
    const std::string& count = header->field(fields, "tokens");
    tokens.push_back(static_cast<double>(place.count(count, "tokens", kMostElements)));
  }
  if (tokens.empty()) throw Error(fmt::format("{}: no experts", path));
  return tokens;
}

// Scales weights to a sum of `per_token`, none above 1. Example: 2 of weights 8, 1, 1: 1, 0.5, 0.5.
void scale_to_shares(std::vector<double>& weights, uint64_t per_token) {
  std::vector<double> sorted = weights;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  for (const double weight : sorted) sum += weight;
  // The largest weights become 1 as long as their share of the others is more.
  double places = static_cast<double>(per_token);
  for (const double weight : sorted) {
    if (places <= 1 || weight * places <= sum) break;
    sum -= weight;
    places--;
  }
  for (double& weight : weights) weight = std::min(1.0, weight * places / sum);
}

ExpertRows expected_rows(uint64_t tokens, uint64_t experts, uint64_t per_token) {
  const double share = static_cast<double>(per_token) / static_cast<double>(experts);
  const double distinct =
      -static_cast<double>(experts) * std::expm1(static_cast<double>(tokens) * std::log1p(-share));
  const uint64_t rows = tokens * per_token;
  const uint64_t used = std::clamp<uint64_t>(static_cast<uint64_t>(std::llround(distinct)),
                                             per_token, std::min(experts, rows));
  ExpertRows result;
  if (rows % used != 0) result[rows / used + 1] = rows % used;
  result[rows / used] = used - rows % used;
  return result;
}

}  // namespace

Routing Routing::parse(const std::string& text, uint64_t seed) {
  Routing routing;
  routing.text_ = text;
  routing.seed_ = seed;
  routing.exponent_ = exponent_of(text_after(kZipf, text));
  routing.path_ = text_after(kHistogram, text);
  if (!routing.path_.empty()) {
    routing.histogram_ = read_histogram(routing.path_);
  } else if (text != "uniform" && !(routing.exponent_ > 0)) {
    throw Error(
        fmt::format("--routing is '{}'; allowed: uniform, zipf:EXPONENT with an exponent "
                    "above 0 and at most {}, histogram:FILE",
                    printable(text), kMostExponent));
  }
  return routing;
}

std::string Routing::text() const {
  const bool drawn = exponent_ > 0 || !histogram_.empty();
  return drawn ? fmt::format("{}, seed {}", printable(text_), seed_) : text_;
}

std::vector<double> Routing::weights(uint64_t experts, uint64_t per_token) const {
  std::vector<double> weights = histogram_;
  if (weights.size() > experts || (!weights.empty() && weights.size() < per_token)) {
    throw Error(fmt::format("{}: {} experts, but the model has {} and each token uses {}", path_,
                            weights.size(), experts, per_token));
  }
  for (uint64_t i = 1; histogram_.empty() && i <= experts; i++) {
    weights.push_back(std::pow(static_cast<double>(i), -exponent_));
  }
  scale_to_shares(weights, per_token);
  return weights;
}

ExpertRows Routing::rows(uint64_t tokens, uint64_t experts, uint64_t per_token) const {
  if (text_ == "uniform") return expected_rows(tokens, experts, per_token);
  if (tokens > kMostDraws / per_token) {
    throw Error(
        fmt::format("--routing {} draws {} experts for each of {} tokens, more than {} "
                    "draws; allowed: fewer tokens, or uniform",
                    printable(text_), per_token, tokens, kMostDraws));
  }
  std::vector<double> ends = weights(experts, per_token);
  for (std::size_t i = 1; i < ends.size(); i++) ends[i] += ends[i - 1];
  std::vector<uint64_t> counts(ends.size());
  std::mt19937_64 random(seed_);
  for (uint64_t token = 0; token < tokens; token++) {
    // Points at equal distances of 1 meet each expert at most once, because no share exceeds 1.
    const double first = std::ldexp(static_cast<double>(random() >> 11), -53);
    for (uint64_t i = 0; i < per_token; i++) {
      const auto found =
          std::upper_bound(ends.begin(), ends.end() - 1, first + static_cast<double>(i));
      counts[static_cast<std::size_t>(found - ends.begin())]++;
    }
  }
  ExpertRows result;
  for (const uint64_t count : counts) {
    if (count != 0) result[count]++;
  }
  return result;
}

}  // namespace mxe::explore
