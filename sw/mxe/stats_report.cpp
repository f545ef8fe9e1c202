// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/stats_report.h"

#include <nlohmann/json.hpp>
#include <string>

namespace mxe::cli {

Json to_json(const numerics::QuantizationStats& stats) {
  Json histogram = Json::object();
  for (const auto& [exponent, blocks] : stats.scale_histogram) {
    histogram[std::to_string(exponent)] = blocks;
  }
  return {{"elements", stats.elements},     {"blocks", stats.blocks},
          {"sqnr_db", stats.sqnr_db},       {"max_error", stats.max_error},
          {"mean_error", stats.mean_error}, {"clipped", stats.clipped},
          {"flushed", stats.flushed},       {"nans", stats.nans},
          {"nan_scales", stats.nan_scales}, {"bits_per_element", stats.bits_per_element},
          {"scale_histogram", histogram}};
}

}  // namespace mxe::cli
