// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mxe::explore {

/// A line of points.jsonl (docs/exploration.md).
using Record = nlohmann::ordered_json;

/// Records by id, and the bytes of their lines.
struct ParsedResults {
  std::map<std::string, Record> records;
  std::size_t bytes = 0;
};
/// Ignores an incomplete last line, which an interrupted run leaves. Throws Error with `path` and
/// line.
ParsedResults parse_results(const std::string& text, const std::string& path);

/// Records of points.jsonl and of its shards (points.I-of-N.jsonl).
class Results {
 public:
  /// Creates the folder if necessary, reads these files in it, cuts an incomplete last line off
  /// `file` and opens it for appending. Throws Error with file and, for a wrong result, line.
  Results(const std::filesystem::path& folder, const std::string& file);

  bool has(const std::string& id) const { return records_.count(id) != 0; }
  const Record& record(const std::string& id) const { return records_.at(id); }
  /// Stores a record and appends its line to the file. Thread-safe.
  void add(const std::string& id, Record record);
  /// Replaces the contents of the file. Do not add records afterwards.
  void replace(const std::vector<Record>& records);

 private:
  void read(const std::filesystem::path& path);
  [[noreturn]] void fail_to_write() const;

  std::filesystem::path path_;
  std::map<std::string, Record> records_;
  std::mutex mutex_;
  std::ofstream out_;
};

}  // namespace mxe::explore
