// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/design_sources.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace mxe::rtl {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool same_content(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(a, error);
  if (error || size != fs::file_size(b, error) || error) return false;
  return content(a) == content(b);
}

}  // namespace

std::string changed_source(const std::string& library) {
  const fs::path copies = library + ".sources";
  std::ifstream list(copies / "list");
  std::size_t number = 0;
  for (std::string source; std::getline(list, source); number++) {
    if (!same_content(source, copies / std::to_string(number))) return source;
  }
  return {};
}

}  // namespace mxe::rtl
