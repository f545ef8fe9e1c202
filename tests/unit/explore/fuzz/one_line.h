// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "model/numerics/base/error.h"

namespace mxe::test {

/// Returns false if `read` throws Error of one line; any other exception ends the program.
template <typename Read>
bool reads(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string_view text = error.what();
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
    if (text.empty() || std::any_of(text.begin(), text.end(), is_control)) std::abort();
    return false;
  }
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace mxe::test
