// SPDX-License-Identifier: Apache-2.0
#include "tb/dpi/words.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "model/numerics/base/error.h"

namespace mxe::dpi {

std::optional<uint64_t> whole_number(const std::string& text) {
  const bool hexadecimal = text.rfind("0x", 0) == 0;
  const char* end = text.data() + text.size();
  uint64_t value = 0;
  const auto read =
      std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, value, hexadecimal ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return value;
}

Words::Words(const char* text) {
  if (!text) throw Error("the text is null (allowed: words NAME=VALUE, or an empty text)");
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(fmt::format("'{}' (allowed: words NAME=VALUE)", word));
    }
    if (!words_.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      throw Error(fmt::format("'{}' occurs twice (allowed: once)", word.substr(0, equals)));
    }
  }
}

std::optional<std::string> Words::find(const std::string& name) {
  names_.push_back(name);
  const auto node = words_.extract(name);
  if (node.empty()) return {};
  return node.mapped();
}

std::string Words::text(const std::string& name, const std::string& absent) {
  return find(name).value_or(absent);
}

uint64_t Words::number(const std::string& name, uint64_t absent, uint64_t most) {
  const auto word = find(name);
  if (!word) return absent;
  const auto value = whole_number(*word);
  if (value && *value <= most) return *value;
  throw Error(fmt::format("{}={} (allowed: 0 to {})", name, *word, most));
}

std::map<std::string, std::string> Words::rest() { return std::move(words_); }

void Words::finish() const {
  if (words_.empty()) return;
  throw Error(fmt::format("unknown word '{}' (allowed: {})", words_.begin()->first,
                          fmt::join(names_, ", ")));
}

}  // namespace mxe::dpi
