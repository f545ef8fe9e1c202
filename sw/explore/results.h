// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mxe::explore {

/// The lines of a file of results by their points, and how many of its bytes they are: a last line
/// without an end, of an interrupted run, does not count. `path` is for messages. Throws mx::Error
/// naming file and line.
struct ResultLines {
  std::map<std::string, std::string> lines;
  std::size_t bytes = 0;
};
ResultLines parse_results(const std::string& text, const std::string& path);

/// The lines of points.jsonl and of its shards, by their points.
class Results {
 public:
  /// Reads all such files of a folder, which is made if it is not there, and opens `file` in it for
  /// more. Throws mx::Error naming file and line.
  Results(const std::filesystem::path& folder, const std::string& file);

  bool has(const std::string& id) const { return lines_.count(id) != 0; }
  const std::string& line(const std::string& id) const { return lines_.at(id); }
  /// Keeps and writes a line. Several threads may call it.
  void add(const std::string& id, const std::string& line);
  /// Writes the file anew. Nothing may be added then.
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
