// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <string>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"

namespace mxe::explore {

inline YAML::Exception at(const YAML::Node& node, const std::string& what) {
  return {node.Mark(), what};
}

/// Returns read(root of the YAML text). Turns errors of YAML into Error "path:line: problem",
/// without the line if it is unknown.
template <typename Read>
auto with_places(const std::string& text, const std::string& path, const Read& read) {
  try {
    return read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    const std::string what = printable(error.msg, kLongestMessage);
    if (error.mark.is_null()) throw Error(fmt::format("{}: {}", path, what));
    throw Error(fmt::format("{}:{}: {}", path, error.mark.line + 1, what));
  }
}

}  // namespace mxe::explore
