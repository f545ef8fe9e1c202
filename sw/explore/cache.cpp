// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/cache.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "sw/explore/content_hash.h"

namespace mxe::explore {

namespace fs = std::filesystem;

Cache::Cache(const fs::path& folder) : folder_(folder) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw Error(fmt::format("cannot make the cache {}: {}", folder_.string(), error.message()));
  const fs::path version = folder_ / "version";
  const std::optional<std::string> found = read_whole(version);
  if (!found) {
    numerics::write_file(version, kCyclesVersion);
  } else if (*found != kCyclesVersion) {
    throw Error(
        fmt::format("the cache {} is of version {}, this program's is {}: remove it, or name "
                    "another one (--cache)",
                    folder_.string(), *found, kCyclesVersion));
  }
}

fs::path Cache::path_of(const std::string& key) const {
  const std::string hash = content_hash(key);
  return folder_ / hash.substr(0, 2) / hash.substr(2);
}

std::optional<std::string> Cache::find(const std::string& key) const {
  const std::optional<std::string> file = read_whole(path_of(key));
  const std::string begin = key + "\n\n";
  if (!file || file->compare(0, begin.size(), begin) != 0) return std::nullopt;
  return file->substr(begin.size());
}

void Cache::store(const std::string& key, const std::string& text) const {
  const fs::path path = path_of(key);
  fs::create_directories(path.parent_path());
  numerics::write_file(path, key + "\n\n" + text);
}

std::optional<std::string> read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace mxe::explore
