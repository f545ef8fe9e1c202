// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::explore {

/// Names of a model, or what a library says of it, for messages: one line of bounded length.
inline std::string printable(std::string text) {
  constexpr std::size_t kMost = 200;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  return text;
}

}  // namespace mxe::explore
