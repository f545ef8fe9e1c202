// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "model/numerics/error.h"
#include "sw/explore/cache.h"
#include "sw/explore/content_hash.h"
#include "sw/explore/evaluate.h"

namespace mxe::explore {

namespace fs = std::filesystem;

namespace {

bool is_results_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".jsonl" && name.rfind("points.", 0) == 0;
}

}  // namespace

Results::Results(const fs::path& folder, const std::string& file) : path_(folder / file) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw mx::Error(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_results_file(entry.path())) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) read(path);
  out_.open(path_, std::ios::binary | std::ios::app);
  if (!out_) throw mx::Error(fmt::format("cannot write {}", path_.string()));
}

void Results::read(const fs::path& path) {
  const std::string text = read_whole(path).value_or("");
  std::size_t begin = 0;
  for (std::size_t number = 1;; number++) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string line = text.substr(begin, end - begin);
    const auto fail = [&](const std::string& what) {
      return mx::Error(fmt::format("{}:{}: {}", path.string(), number, what));
    };
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("id") || !json["id"].is_string()) {
      throw fail("not a result of mxe explore");
    }
    const std::string version = json.value("cycles_version", "");
    if (json.value("version", 0) != kRecordVersion || version != kCyclesVersion) {
      throw fail("a result of another version: use another folder, or remove the file");
    }
    lines_[json["id"].get<std::string>()] = line;
    begin = end + 1;
  }
  // What an interrupted run left of a line would spoil the next one.
  if (path == path_ && begin < text.size()) write_whole(path, text.substr(0, begin));
}

void Results::add(const std::string& id, const std::string& line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lines_[id] = line;
  out_ << line << '\n' << std::flush;
  if (!out_) throw mx::Error(fmt::format("cannot write {}", path_.string()));
}

void Results::replace(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  out_.close();
  write_whole(path_, text);
}

}  // namespace mxe::explore
