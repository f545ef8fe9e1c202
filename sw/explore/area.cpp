// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/shallow_json.h"
#include "model/params/hardware.h"
#include "sw/explore/area_data.h"
#include "sw/explore/least_squares.h"
#include "sw/explore/memories.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::vector<double> terms(const Params& p) {
  const double lanes_out = std::min(p.num_pe, p.mem_w / 32);
  const double beat = p.mem_w / 32.0, columns = p.num_pe, dual = p.fp4_dual ? 1 : 0;
  const double nvfp4 = has_nvfp4(p) ? 1 : 0;
  const double adds = dual + nvfp4 > 0 ? 1 : 0;  // the drain joins two chains or adds C
  const double second_fed = feed_cols(p.num_pe) - 1.0;
  return {1,
          lanes_out,
          dual,
          dual * lanes_out,
          columns,
          dual * columns,
          adds,
          adds * lanes_out,
          nvfp4,
          nvfp4 * columns,
          nvfp4 * lanes_out,
          nvfp4 * beat,
          second_fed,
          beat,
          beat * std::log2(beat),
          lanes_out * std::log2(beat),
          std::log2(p.rows),
          std::log2(p.acc_tiles),
          std::log2(p.a_slab_k),
          std::log2(p.b_buf_k),
          std::log2(p.b_banks),
          std::log2(p.max_burst)};
}

AreaSample read_sample(const Json& row) {
  AreaSample sample{Params(), 0, 0, row.at("memory_bits").get<std::uint64_t>()};
  for (const auto& [name, value] : row.at("parameters").items()) {
    sample.params.set(fmt::format("{}={}", name, value.get<unsigned>()));
  }
  sample.params.validate();
  for (const auto& [name, value] : row.at("blocks").items()) {
    (name == "pe" ? sample.pe : sample.rest) += value.get<double>();
  }
  return sample;
}

}  // namespace

const AreaTable& AreaTable::shipped() {
  static const AreaTable table = from_json(kAreaTable, "sw/explore/data/area.json");
  return table;
}

AreaTable AreaTable::from_json(std::string_view text, const std::string& origin) {
  std::vector<AreaSample> samples;
  const Json table = numerics::parse_json_file<Json>(text, origin);
  try {
    if (table.at("version") != 1) throw Error("a version other than 1");
    for (const Json& row : table.at("designs")) samples.push_back(read_sample(row));
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: not a table of areas: {}", origin,
                            printable(error.what(), kLongestMessage)));
  }
  if (samples.empty()) throw Error(origin + ": not a table of areas: no designs");
  return AreaTable(std::move(samples));
}

AreaTable::AreaTable(std::vector<AreaSample> samples) : samples_(std::move(samples)) {
  for (std::size_t i = 0; i < samples_.size(); i++) {
    const AreaSample& sample = samples_[i];
    elements_[kind(sample.params)] = sample.pe;
    known_[sample.params.to_string()] = i;
    features_.push_back(terms(sample.params));
  }
  factors_ = fit(kNone);
  for (std::size_t i = 0; i < samples_.size(); i++) {
    error_ = std::max(error_, std::abs(leave_one_out(i)));
  }
}

std::vector<double> AreaTable::fit(std::size_t left_out) const {
  std::vector<double> values;
  for (const AreaSample& sample : samples_) values.push_back(sample.rest);
  return least_squares(features_, values, left_out);
}

double AreaTable::processing_element(const Params& params) const {
  const auto found = elements_.find(kind(params));
  if (found == elements_.end()) {
    throw Error(
        fmt::format("no area of a processing element with TREE_W {}, FP4_DUAL {} and NVFP4 {}",
                    params.tree_w, params.fp4_dual, params.nvfp4));
  }
  return found->second;
}

Area AreaTable::of(const Params& params) const {
  const double sram_kib = static_cast<double>(memory_bits(params)) / 8 / 1024;
  const auto found = known_.find(params.to_string());
  if (found != known_.end()) {
    return {samples_[found->second].gate_equivalents(), sram_kib, 0, true};
  }
  const std::vector<double> features = terms(params);
  double rest = 0;
  for (std::size_t i = 0; i < features.size(); i++) rest += factors_[i] * features[i];
  return {params.num_pe * processing_element(params) + rest, sram_kib, error_, false};
}

double AreaTable::element_without(std::size_t left_out) const {
  const Params& params = samples_[left_out].params;
  for (std::size_t i = 0; i < samples_.size(); i++) {
    const Params& other = samples_[i].params;
    if (i != left_out && kind(other) == kind(params)) {
      return samples_[i].pe;
    }
  }
  throw Error("only one engine of the table of areas has its kind of processing element");
}

double AreaTable::leave_one_out(std::size_t sample) const {
  const std::vector<double> factors = fit(sample);
  double rest = 0;
  for (std::size_t i = 0; i < factors.size(); i++) rest += factors[i] * features_[sample][i];
  const AreaSample& left_out = samples_[sample];
  const double area = left_out.params.num_pe * element_without(sample) + rest;
  return area / left_out.gate_equivalents() - 1;
}

}  // namespace mxe::explore
