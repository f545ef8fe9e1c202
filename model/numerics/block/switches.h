// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/numerics/block/quantizer_options.h"

namespace mxe::numerics {

/// Value of a switch: monostate (unset optional), bool, number, name (an enumerator or a scale
/// format such as e8m0), or the two ends of a range.
using SwitchValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, std::pair<int64_t, int64_t>>;

/// Throws Error with all names if `name` is unknown.
SwitchValue switch_value(const QuantizerOptions& options, std::string_view name);

/// Throws Error with the allowed names or values. `rounding`: also names of parse_rounding.
void set_switch(QuantizerOptions& options, std::string_view name, const SwitchValue& value);

}  // namespace mxe::numerics
