// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mxe::explore {

/// A folder of files, each with a key and its text. Threads and processes may share the folder.
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

std::optional<std::string> read_whole(const std::filesystem::path& path);

}  // namespace mxe::explore
