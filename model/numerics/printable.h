// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace mx {

/// What a file or a library says, for messages: one line of at most `most` bytes, no control
/// characters.
inline std::string printable(std::string text, std::size_t most = 200) {
  if (text.size() > most) text = text.substr(0, most) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  return text;
}

/// Enough for any message as a whole.
inline constexpr std::size_t kLongestMessage = 2000;

}  // namespace mx
