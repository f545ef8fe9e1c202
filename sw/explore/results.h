// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mxe::explore {

/// The lines of a results file by id, and their number of bytes. An incomplete last line, of an
/// interrupted run, is ignored. Throws Error, which names `path` and line.
struct ResultLines {
  std::map<std::string, std::string> lines;
  std::size_t bytes = 0;
};
ResultLines parse_results(const std::string& text, const std::string& path);

/// The lines of points.jsonl and of its shards, by id.
class Results {
 public:
  /// Creates the folder if necessary, reads all such files in it, and opens `file` for appending.
  /// Throws Error, which names file and line.
  Results(const std::filesystem::path& folder, const std::string& file);

  bool has(const std::string& id) const { return lines_.count(id) != 0; }
  const std::string& line(const std::string& id) const { return lines_.at(id); }
  /// Keeps and writes a line. Thread-safe.
  void add(const std::string& id, const std::string& line);
  /// Replaces the contents of the file. Do not add lines afterwards.
  void replace(const std::vector<std::string>& lines);

 private:
  void read(const std::filesystem::path& path);
  [[noreturn]] void fail_to_write() const;

  std::filesystem::path path_;
  std::map<std::string, std::string> lines_;
  std::mutex mutex_;
  std::ofstream out_;
};

}  // namespace mxe::explore
