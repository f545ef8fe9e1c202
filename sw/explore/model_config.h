// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sw/explore/language_model.h"

namespace mxe::explore {

/// Parses a config.json in the form of Hugging Face. Throws Error with the file's name, and the
/// line of invalid JSON; for a field that is missing, wrong or may change the products, with the
/// field.
LanguageModel parse_model_config(std::string_view text, const std::string& name);

}  // namespace mxe::explore
