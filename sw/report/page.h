// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/report/points.h"

namespace mxe::report {

inline constexpr std::size_t kMostLayers = 60000;

/// JSON text that is safe in an HTML script element.
std::string script_safe(const nlohmann::ordered_json& value);

std::string make_page(Exploration exploration);

}  // namespace mxe::report
