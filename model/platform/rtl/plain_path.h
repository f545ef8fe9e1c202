// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::rtl {

/// Removes generate blocks from the path of an RTL value, which gives its path in the model's
/// blocks: "u_dot.gen_quad[3].u_quad" -> "dot.quad_3", "gen_odd.sum_odd" -> "sum_odd". Also accepts
/// Verilator's "__BRA__" and "__KET__".
inline std::string plain_path(std::string path) {
  const auto replace = [&path](const std::string& from, const std::string& to) {
    for (std::size_t at = path.find(from); at != std::string::npos; at = path.find(from, at)) {
      path.replace(at, from.size(), to);
    }
  };
  replace("__DOT__", ".");
  replace("__BRA__", "[");
  replace("__KET__", "]");
  replace("gen_odd.", "");
  replace("gen_nvfp4.", "");
  for (std::size_t at = path.find("gen_"); at != std::string::npos; at = path.find("gen_", at)) {
    const std::size_t open = path.find('[', at), close = path.find(']', at);
    const std::size_t end = path.find('.', close + 2);
    if (open == std::string::npos || path.compare(close, 4, "].u_") != 0) {
      at++;
      continue;
    }
    path.replace(
        at, end - at,
        path.substr(at + 4, open - at - 4) + "_" + path.substr(open + 1, close - open - 1));
  }
  replace("u_", "");
  return path;
}

}  // namespace mxe::rtl
