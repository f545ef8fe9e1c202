// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace mxe {

/// Makes foreign text safe for a message: at most `most` bytes plus "...", no control characters.
inline std::string printable(std::string text, std::size_t most = 200) {
  if (text.size() > most) text = text.substr(0, most) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  return text;
}

/// Makes a name of a file's content safe for a message: bytes other than printable ASCII become
/// '?'.
inline std::string one_line(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

/// Limit for a whole message, in bytes.
inline constexpr std::size_t kLongestMessage = 2000;

}  // namespace mxe
