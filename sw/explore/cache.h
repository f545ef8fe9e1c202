// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mxe::explore {

/// Texts by key in files, written atomically, so that threads and processes may share a folder.
class Cache {
 public:
  /// Creates the folder. Throws Error if that fails, or if another version wrote it.
  explicit Cache(const std::filesystem::path& folder);

  std::optional<std::string> find(const std::string& key) const;
  void store(const std::string& key, const std::string& text) const;

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
};

/// The text of a file, or nullopt if it cannot be read.
std::optional<std::string> read_whole(const std::filesystem::path& path);

}  // namespace mxe::explore
