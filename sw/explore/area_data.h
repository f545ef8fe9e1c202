// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxe::explore {

extern const std::string_view kAreaTable;  ///< data/area.json, written by `scripts/area --table`

}  // namespace mxe::explore
