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

/// Returns true if no value of a JSON text is inside more than 64 arrays and objects.
inline bool is_shallow(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') i++;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return false;
    } else if (c == ']' || c == '}') {
      depth--;
    }
  }
  return true;
}

/// Parses JSON of at most 64 levels, to protect recursive code from hostile files. Throws
/// Json::exception for invalid JSON, std::invalid_argument for deeper nesting or too large numbers.
/// Its time is proportional to the text: a callback of the parser would make it visit all members
/// of an object after each member that is an object.
template <typename Json, typename Text>
Json parse_shallow(const Text& text) {
  if (!is_shallow({text.data(), text.size()})) throw std::invalid_argument("nested too deeply");
  try {
    return Json::parse(text.begin(), text.end());
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
