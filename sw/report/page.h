// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/report/points.h"

namespace mxe::report {

/// The layers that a page holds at most.
inline constexpr std::size_t kMostLayers = 60000;

/// `value` as JSON that may stand within an HTML script element whatever its texts are.
std::string script_safe(const nlohmann::ordered_json& value);

/// One HTML page that needs nothing else: its style, its program, the charting library, the points.
std::string make_page(Exploration exploration);

}  // namespace mxe::report
