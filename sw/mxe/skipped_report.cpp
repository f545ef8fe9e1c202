// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/skipped_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mxe::cli {

void print_skipped(const std::vector<arrays::Skipped>& skipped) {
  for (const arrays::Skipped& array : skipped)
    fmt::print("{} skipped: {}\n", array.name, array.reason);
}

Json skipped_json(const std::vector<arrays::Skipped>& skipped) {
  Json arrays = Json::array();
  for (const arrays::Skipped& array : skipped) {
    arrays.push_back({{"name", array.name}, {"reason", array.reason}});
  }
  return arrays;
}

}  // namespace mxe::cli
