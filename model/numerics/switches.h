// SPDX-License-Identifier: Apache-2.0
// The switches of a quantizer (quantizer_options.h) by name, with values that people can write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/numerics/quantizer_options.h"

namespace mx {

/// What a switch is set to: nothing, for those that are optional; true or false; a number; a name,
/// which for choices is the enumerator's and for the scale format what parse_scale_format takes;
/// the two ends of a range.
using SwitchValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, std::pair<int64_t, int64_t>>;

/// The value of a switch. Throws Error, listing the switches, if there is none of this name.
SwitchValue switch_value(const QuantizerOptions& options, std::string_view name);

/// Sets a switch. Throws Error for a name that does not exist or a value that the switch cannot
/// have, saying which it can. Rounding also goes by the names of parse_rounding.
void set_switch(QuantizerOptions& options, std::string_view name, const SwitchValue& value);

}  // namespace mx
