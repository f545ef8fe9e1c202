// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/report/points.h"

namespace mxe::report {

inline constexpr std::size_t kMostLayers = 60000;

/// JSON of `value` that is safe in an HTML script element, regardless of its texts.
std::string script_safe(const nlohmann::ordered_json& value);

/// A self-contained HTML page: style, program, charting library and points.
std::string make_page(Exploration exploration);

}  // namespace mxe::report
