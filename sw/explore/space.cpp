// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "model/job/job.h"
#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "sw/explore/conditions.h"
#include "sw/explore/yaml_errors.h"

namespace mxe::explore {
namespace {

constexpr std::size_t kMostValues = 100'000;

double number_in(const YAML::Node& range, const char* key) {
  const YAML::Node node = range[key];
  double value = 0;
  if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
    throw at(node, fmt::format("'{}' of a range must be a number", key));
  }
  return value;
}

// {from: 8, to: 64, factor: 2} gives 8, 16, 32, 64.
std::vector<std::string> range_values(const YAML::Node& range) {
  const bool steps = range["step"].IsDefined();
  for (const auto& entry : range) {
    const std::string key = entry.first.Scalar();
    if (key != "from" && key != "to" && key != "step" && key != "factor") {
      throw at(entry.first, fmt::format("unknown key '{}' of a range (allowed: from, to, step, "
                                        "factor)",
                                        key));
    }
  }
  if (!range["from"] || !range["to"] || steps == range["factor"].IsDefined()) {
    throw at(range, "a range is {from: A, to: B, step: S} or {from: A, to: B, factor: F}");
  }
  const double from = number_in(range, "from"), to = number_in(range, "to");
  const double by = number_in(range, steps ? "step" : "factor");
  if (steps ? by <= 0 : by <= 1) {
    throw at(range, steps ? "the step of a range must be more than 0"
                          : "the factor of a range must be more than 1");
  }
  if (!steps && from <= 0) throw at(range, "a range with a factor must start above 0");
  std::vector<std::string> values;
  const double slack = 1e-9 * std::abs(to);
  for (std::size_t i = 0;; i++) {
    const auto n = static_cast<double>(i);
    const double value = steps ? from + n * by : from * std::pow(by, n);
    if (value > to + slack) break;
    if (i == kMostValues)
      throw at(range, fmt::format("the range has too many values (allowed: {})", kMostValues));
    values.push_back(fmt::format("{:.12g}", value));
  }
  return values;
}

std::vector<std::string> values_of(const YAML::Node& node) {
  if (node.IsMap()) return range_values(node);
  if (node.IsScalar()) return {node.Scalar()};
  std::vector<std::string> values;
  if (node.IsSequence()) {
    for (const YAML::Node& value : node) {
      if (!value.IsScalar()) throw at(value, "a value must be a single number or word");
      values.push_back(value.Scalar());
    }
  }
  return values;
}

constexpr std::pair<const char*, Space::Search::Method> kMethods[] = {
    {"grid", Space::Search::Method::grid},
    {"random", Space::Search::Method::random},
    {"front", Space::Search::Method::front},
    {"halving", Space::Search::Method::halving}};

Space::Search::Method method_of(const YAML::Node& node) {
  std::vector<std::string> names;
  for (const auto& [name, method] : kMethods) {
    if (node.IsScalar() && node.Scalar() == name) return method;
    names.emplace_back(name);
  }
  throw at(node, fmt::format("the method of a search must be one of {}", fmt::join(names, ", ")));
}

uint64_t count_of(const YAML::Node& node, const std::string& name) {
  uint64_t value = 0;
  if (!node.IsScalar() || !YAML::convert<uint64_t>::decode(node, value) || value == 0) {
    throw at(node, fmt::format("the {} of a search must be a whole number of at least 1", name));
  }
  return value;
}

Space::Search search_of(const YAML::Node& node) {
  if (!node.IsMap()) throw at(node, "search must be {method: M, budget: N}");
  Space::Search search;
  for (const auto& entry : node) {
    const std::string key = entry.first.Scalar();
    if (key == "method") {
      search.method = method_of(entry.second);
    } else if (key == "budget") {
      search.budget = count_of(entry.second, key);
      if (*search.budget > Space::kMostPoints) {
        throw at(entry.second,
                 fmt::format("the budget of a search must be at most {}", Space::kMostPoints));
      }
    } else if (key == "seed") {
      search.seed = count_of(entry.second, key);
    } else {
      throw at(entry.first,
               fmt::format("unknown key '{}' of a search (allowed: method, budget, seed)", key));
    }
  }
  using Method = Space::Search::Method;
  const bool chooses = search.method == Method::random || search.method == Method::halving;
  if (chooses != search.budget.has_value()) {
    throw at(node, chooses ? "a search by this method needs a budget, the number of points"
                           : "a search by this method has no budget (random and halving have)");
  }
  return search;
}

double rate_of(const YAML::Node& node, const std::string& name) {
  constexpr double kMost = 1e6;
  double value = 0;
  if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) ||
      !(value > 0 && value <= kMost)) {
    throw at(node,
             fmt::format("{} of vector must be a number above 0 and at most {:.0f}", name, kMost));
  }
  return value;
}

VectorUnit vector_of(const YAML::Node& node) {
  constexpr const char* kForm = "vector must be {lanes: N, clock_mhz: F, bytes_per_cycle: B}";
  if (!node.IsMap()) throw at(node, kForm);
  VectorUnit unit;
  const std::pair<const char*, double*> rates[] = {{"lanes", &unit.lanes},
                                                   {"clock_mhz", &unit.clock_mhz},
                                                   {"bytes_per_cycle", &unit.bytes_per_cycle}};
  for (const auto& entry : node) {
    const std::string key = entry.first.Scalar();
    const auto known = std::find_if(std::begin(rates), std::end(rates),
                                    [&](const auto& rate) { return key == rate.first; });
    if (known == std::end(rates)) {
      throw at(entry.first, fmt::format("unknown key '{}' of vector (allowed: lanes, clock_mhz, "
                                        "bytes_per_cycle)",
                                        key));
    }
    if (*known->second != 0) throw at(entry.first, fmt::format("'{}' is given twice", key));
    *known->second = rate_of(entry.second, key);
  }
  for (const auto& [name, value] : rates) {
    if (*value == 0) throw at(node, fmt::format("{} is missing: {}", name, kForm));
  }
  return unit;
}

// Draws `sample` different numbers below `count`, or all if `count` is less. In rising order.
std::vector<uint64_t> drawn(uint64_t sample, uint64_t count, uint64_t seed) {
  sample = std::min(sample, count);
  const bool leaves_out = sample > count / 2;
  const uint64_t draws = leaves_out ? count - sample : sample;
  std::mt19937_64 random(seed);
  std::set<uint64_t> numbers;
  while (numbers.size() < draws) numbers.insert(random() % count);
  if (!leaves_out) return {numbers.begin(), numbers.end()};
  std::vector<uint64_t> others;
  auto next = numbers.begin();
  for (uint64_t number = 0; number < count; number++) {
    if (next != numbers.end() && *next == number) {
      ++next;
    } else {
      others.push_back(number);
    }
  }
  return others;
}

}  // namespace

void SkippedPoints::add(const LimitError& error) {
  Reason& reason = reasons_[{error.code, error.values}];
  reason.text = error.what();
  reason.points++;
}

std::vector<SkippedPoints::Reason> SkippedPoints::reasons() const {
  std::vector<Reason> sorted;
  for (const auto& [code, reason] : reasons_) sorted.push_back(reason);
  std::sort(sorted.begin(), sorted.end(), [](const Reason& a, const Reason& b) {
    return std::tie(b.points, a.text) < std::tie(a.points, b.text);
  });
  return sorted;
}

Space Space::from_file(const std::string& path) {
  return from_text(numerics::read_text(path), path);
}

Space Space::from_text(const std::string& text, const std::string& path) {
  return with_places(text, path, [&](const YAML::Node& root) {
    Space space;
    space.path_ = path;
    if (!root.IsMap()) throw at(root, "a space is a map with parameters (and config, constraints)");
    for (const auto& entry : root) {
      const std::string key = entry.first.Scalar();
      if (key == "config") {
        try {
          space.base_ = Params::named(entry.second.Scalar());
        } catch (const Error& error) {
          throw at(entry.second, error.what());
        }
      } else if (key == "constraints") {
        if (!entry.second.IsSequence()) throw at(entry.second, "constraints must be a list");
        for (const YAML::Node& one : entry.second) {
          Conditions condition;
          try {
            condition.add(one.Scalar());
          } catch (const Error& error) {
            throw at(one, fmt::format("'{}': {}", one.Scalar(), error.what()));
          }
          (condition.last_needs_results() ? space.result_constraints_ : space.constraints_)
              .push_back(one.Scalar());
        }
      } else if (key == "search") {
        space.search_ = search_of(entry.second);
      } else if (key == "vector") {
        if (space.vector_) throw at(entry.first, "'vector' is given twice");
        space.vector_ = vector_of(entry.second);
        space.vector_place_ = fmt::format("{}:{}", path, entry.first.Mark().line + 1);
      } else if (key != "parameters") {
        throw at(entry.first,
                 fmt::format("unknown key '{}' (allowed: config, parameters, constraints, search, "
                             "vector)",
                             key));
      }
    }
    const YAML::Node parameters = root["parameters"];
    if (!parameters || !parameters.IsMap() || parameters.size() == 0) {
      throw at(root, "the space is empty: `parameters` must be a map of names to values");
    }
    for (const auto& entry : parameters) {
      const std::string name = entry.first.Scalar();
      const Variable* variable = find_variable(name);
      if (!variable) {
        throw at(entry.first,
                 fmt::format("unknown parameter '{}' (allowed: {})", name, variable_names()));
      }
      for (const Axis& axis : space.axes_) {
        if (axis.variable == variable)
          throw at(entry.first, fmt::format("'{}' is given twice", name));
      }
      Axis axis{variable, values_of(entry.second)};
      if (axis.values.empty()) throw at(entry.first, fmt::format("{} has no values", name));
      for (const std::string& value : axis.values) {
        try {
          Point point;
          variable->set(point, name, value);
        } catch (const Error& error) {
          throw at(entry.second, error.what());
        }
      }
      space.axes_.push_back(std::move(axis));
    }
    return space;
  });
}

std::vector<std::string> Space::varying() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes_) {
    if (axis.values.size() > 1) names.push_back(axis.variable->name);
  }
  return names;
}

uint64_t Space::combinations() const {
  uint64_t count = 1;
  for (const Axis& axis : axes_) {
    if (__builtin_mul_overflow(count, axis.values.size(), &count)) return UINT64_MAX;
  }
  return count;
}

Point Space::combination(uint64_t number) const {
  Point point;
  point.params = base_;
  point.vector = vector_;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    axis->variable->set(point, axis->variable->name, axis->values[number % axis->values.size()]);
    number /= axis->values.size();
  }
  return point;
}

Space::Points Space::points() const {
  const uint64_t count = combinations();
  const bool sample = search_.method == Search::Method::random;
  if (!sample && count > kMostPoints) {
    throw Error(
        fmt::format("{}: {} combinations, more than {}: draw some of them (search: {{method: "
                    "random, budget: N}})",
                    path_, count, kMostPoints));
  }
  Conditions conditions;
  for (const std::string& constraint : constraints_) conditions.add(constraint);
  Points found;
  const auto consider = [&](uint64_t number) {
    Point point = combination(number);
    try {
      settle(point);
      validate(point);
      job::JobShape pair;
      set_formats(point.format_a, point.format_b, pair);
      pair.require_pair(point.params);
      if (const auto broken = conditions.broken(point)) {
        throw LimitError(printable(constraints_[*broken], kLongestMessage), "constraint",
                         {double(*broken)});
      }
      found.points.push_back(point);
    } catch (const LimitError& error) {
      found.skipped.add(error);
    }
  };
  if (sample) {
    for (const uint64_t number : drawn(*search_.budget, count, search_.seed)) consider(number);
  } else {
    for (uint64_t number = 0; number < count; number++) consider(number);
  }
  if (found.points.empty()) {
    throw Error(
        fmt::format("{}: no point is possible: {}", path_, found.skipped.reasons().front().text));
  }
  return found;
}

}  // namespace mxe::explore
