// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe {

/// "u_dot.gen_quad[3].u_quad" and "gen_odd.sum_odd" as "dot.quad_3" and "sum_odd": the path of a
/// value in the RTL without what only says where something is generated, which is its path in the
/// blocks of the model. Names as Verilator has them, with "__BRA__", are fine.
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
  // "gen_quad[3].u_quad" is quad_3, "gen_lane[3].u_decode" lane_3.
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

}  // namespace mxe
