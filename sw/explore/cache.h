// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mxe::explore {

/// Texts by what they depend on, in files below a folder. Several threads and processes may use one
/// folder: a file appears whole or not at all.
class Cache {
 public:
  /// Makes the folder if it is not there. Throws mx::Error if that fails, or if it holds what
  /// another version has found.
  explicit Cache(const std::filesystem::path& folder);

  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, const std::string& text) const;

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
};

/// The text of a file; nothing if it cannot be read.
std::optional<std::string> read_whole(const std::filesystem::path& path);

}  // namespace mxe::explore
