// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/numerics/base/error.h"

namespace mxe::numerics {

/// Parses JSON of at most 64 levels, to protect recursive code from hostile files. Throws
/// Json::exception for invalid JSON, std::invalid_argument for deeper nesting or too large numbers.
template <typename Json, typename Text>
Json parse_shallow(const Text& text) {
  constexpr int kDeepest = 64;
  const auto shallow = [](int depth, typename Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw std::invalid_argument("nested too deeply");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), shallow);
  } catch (const typename Json::out_of_range&) {
    throw std::invalid_argument("a number is too large");
  }
}

/// Parses the text of the file `path`. Throws Error: "PATH:LINE: not valid JSON", or without a line
/// "PATH: nested too deeply" or "PATH: a number is too large".
template <typename Json>
Json parse_json_file(std::string_view text, const std::string& path) {
  try {
    return parse_shallow<Json>(text);
  } catch (const typename Json::parse_error& error) {
    const std::string_view before = text.substr(0, error.byte);
    throw Error(fmt::format("{}:{}: not valid JSON", path,
                            1 + std::count(before.begin(), before.end(), '\n')));
  } catch (const std::invalid_argument& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
}

/// Returns true if the text can be written as JSON.
inline bool is_utf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace mxe::numerics
