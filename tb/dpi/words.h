// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mxe::dpi {

/// A text of words NAME=VALUE, separated by spaces. Each function reads the words that it has; a
/// word that none has read is an error of finish().
class Words {
 public:
  /// Throws Error for null, a word without '=' and a name that occurs twice.
  explicit Words(const char* text);

  std::optional<std::string> find(const std::string& name);
  std::string text(const std::string& name, const std::string& absent);
  /// A decimal number, or a hexadecimal one after 0x. Throws Error above `most`.
  uint64_t number(const std::string& name, uint64_t absent, uint64_t most = UINT32_MAX);
  /// The words that were not read so far.
  std::map<std::string, std::string> rest();
  /// Throws Error with all names that were read if another word is left.
  void finish() const;

 private:
  std::map<std::string, std::string> words_;
  std::vector<std::string> names_;
};

/// A decimal number, or a hexadecimal one after 0x; nothing for another text.
std::optional<uint64_t> whole_number(const std::string& text);

}  // namespace mxe::dpi
