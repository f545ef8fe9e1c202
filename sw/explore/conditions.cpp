// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/conditions.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <regex>

#include "model/numerics/base/error.h"
#include "sw/explore/engines.h"

namespace mxe::explore {
namespace {

// Rejects "NUM_PE = 8": muParser would assign 8, and the constraint would hold for every point.
bool assigns(const std::string& text) {
  static const std::regex kAssignment("(^|[^=!<>])=($|[^=])");
  return std::regex_search(text, kAssignment);
}

std::string allowed_names() {
  std::string names = variable_names();
  for (const auto* quantities : {&known_quantities(), &result_quantities()}) {
    for (const Quantity& one : *quantities) {
      names += fmt::format(", {}{}", one.name, *one.unit ? fmt::format(" ({})", one.unit) : "");
    }
  }
  return names;
}

}  // namespace

const std::vector<Quantity>& known_quantities() {
  static const std::vector<Quantity> kQuantities{
      {"area", "gate equivalents"}, {"sram_kib", ""}, {"port_bytes_per_cycle", ""}};
  return kQuantities;
}

const std::vector<Quantity>& result_quantities() {
  static const std::vector<Quantity> kQuantities{
      {"ms", ""},          {"energy", "mJ"},         {"cycles", ""},
      {"utilisation", ""}, {"items_per_second", ""}, {"sqnr_db", ""}};
  return kQuantities;
}

Conditions::Conditions() {
  for (const Variable& variable : variables()) values_.emplace(variable.name, 0.0);
  for (const auto* quantities : {&known_quantities(), &result_quantities()}) {
    for (const Quantity& one : *quantities) values_.emplace(one.name, 0.0);
  }
}

Conditions::~Conditions() = default;

void Conditions::add(const std::string& text) {
  try {
    if (assigns(text)) throw mu::ParserError("compare by ==, not =");
    auto parser = std::make_unique<mu::Parser>();
    for (auto& [name, value] : values_) parser->DefineVar(name, &value);
    for (const job::OutputFormat& output : job::all_output_formats()) {
      if (output.numbers()) parser->DefineConst(output.name(), output.code());
    }
    for (const numerics::FormatId format : numerics::kAllFormats) {
      parser->DefineConst(std::string(numerics::element_format(format).name),
                          static_cast<double>(format));
    }
    const OperandFormat nvfp4(numerics::parse_scaled_format("nvfp4", std::nullopt));
    parser->DefineConst(nvfp4.name(), nvfp4.number());
    parser->SetExpr(text);
    parser->Eval();
    parsers_.push_back(std::move(parser));
    needs_area_ = needs_area_ || last_names("area") || last_names("sram_kib");
  } catch (const mu::ParserError& error) {
    throw Error(fmt::format("{} (variables: {})", error.GetMsg(), allowed_names()));
  }
}

bool Conditions::last_names(const std::string& quantity) const {
  return parsers_.back()->GetUsedVar().count(quantity) != 0;
}

bool Conditions::last_needs_results() const {
  return std::any_of(result_quantities().begin(), result_quantities().end(),
                     [&](const Quantity& one) { return last_names(one.name); });
}

std::optional<std::size_t> Conditions::broken(const Point& point, const ResultValues& results) {
  if (parsers_.empty()) return std::nullopt;
  for (const Variable& variable : variables()) {
    values_.at(variable.name) = variable.value(point, variable.name);
  }
  if (needs_area_) {
    const Area area = area_of(point);
    values_.at("area") = area.total();
    values_.at("sram_kib") = area.sram_kib;
  }
  values_.at("port_bytes_per_cycle") = point.params.mem_bytes();
  values_.at("ms") = results.ms;
  values_.at("energy") = results.energy_mj;
  values_.at("cycles") = results.cycles;
  values_.at("utilisation") = results.utilisation;
  values_.at("items_per_second") = results.items_per_second;
  values_.at("sqnr_db") = results.sqnr_db;
  for (std::size_t i = 0; i < parsers_.size(); i++) {
    const double value = parsers_[i]->Eval();
    if (value == 0 || std::isnan(value)) return i;
  }
  return std::nullopt;
}

}  // namespace mxe::explore
