// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxe::explore {

extern const std::string_view kAreaTable;  ///< data/area.json, which scripts/area --table writes

}  // namespace mxe::explore
