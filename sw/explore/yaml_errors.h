// SPDX-License-Identifier: Apache-2.0
// YAML files whose errors name file and line.
#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <string>

#include "model/numerics/error.h"

namespace mxe::explore {

/// An error of a file, as `with_places` expects it.
inline YAML::Exception at(const YAML::Node& node, const std::string& what) {
  return {node.Mark(), what};
}

/// read(the file's root); throws mx::Error "file:line: what is wrong".
template <typename Read>
auto with_places(const std::string& path, const Read& read) {
  try {
    return read(YAML::LoadFile(path));
  } catch (const YAML::BadFile&) {
    throw mx::Error(fmt::format("cannot read {}", path));
  } catch (const YAML::Exception& error) {
    if (error.mark.is_null()) throw mx::Error(fmt::format("{}: {}", path, error.msg));
    throw mx::Error(fmt::format("{}:{}: {}", path, error.mark.line + 1, error.msg));
  }
}

}  // namespace mxe::explore
