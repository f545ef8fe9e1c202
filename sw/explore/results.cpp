// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/shallow_json.h"
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

using Json = Record;

bool is_number(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_number();
}

bool is_text(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string();
}

bool is_texts(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_array() &&
         std::all_of(object[key].begin(), object[key].end(),
                     [](const Json& one) { return one.is_string(); });
}

bool is_object(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_object();
}

bool is_result(const Json& line) {
  return line.is_object() && line.contains("id") && line["id"].is_string();
}

bool is_of_this_version(const Json& line) {
  return line.value("version", Json()) == kRecordVersion &&
         line.value("cycles_version", Json()) == kCyclesVersion;
}

bool is_whole(const Json& line) {
  const auto all_objects = [](const Json& list) {
    return std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_object(); });
  };
  return is_number(line, "cycles") && is_number(line, "seconds") &&
         is_number(line, "utilisation") && is_text(line, "bound_by") &&
         is_number(line, "weight_bytes") && is_number(line, "kv_bytes") &&
         is_number(line, "b_bytes") && is_texts(line, "kv_formats") && is_object(line, "area") &&
         is_number(line["area"], "ge") && is_number(line["area"], "sram_kib") &&
         is_object(line, "energy") && is_number(line["energy"], "joules") &&
         line.contains("layers") && line["layers"].is_array() && all_objects(line["layers"]);
}

}  // namespace

ParsedResults parse_results(const std::string& text, const std::string& path) {
  ParsedResults found;
  for (std::size_t number = 1;; number++) {
    const std::size_t end = text.find('\n', found.bytes);
    if (end == std::string::npos) return found;
    const std::string line = text.substr(found.bytes, end - found.bytes);
    const auto fail = [&](const std::string& what) {
      return Error(fmt::format("{}:{}: {}", path, number, what));
    };
    Json json;
    try {
      json = numerics::parse_shallow<Json>(line);
    } catch (const std::exception&) {
      throw fail("not a result of mxe explore");
    }
    if (!is_result(json)) throw fail("not a result of mxe explore");
    if (!is_of_this_version(json)) {
      throw fail("a result of another version: use another folder, or remove the file");
    }
    if (!is_whole(json)) throw fail("an incomplete result of mxe explore");
    const std::string id = json["id"];
    found.records[id] = std::move(json);
    found.bytes = end + 1;
  }
}

Results::Results(const fs::path& folder, const std::string& file) : path_(folder / file) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_results_file(entry.path())) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) read(path);
  out_.open(path_, std::ios::binary | std::ios::app);
  if (!out_) fail_to_write();
}

void Results::fail_to_write() const {
  throw Error(fmt::format("{}: cannot write: {}", path_.string(), std::strerror(errno)));
}

void Results::read(const fs::path& path) {
  const std::string text = read_whole(path).value_or("");
  ParsedResults found = parse_results(text, path.string());
  for (auto& [id, record] : found.records) records_[id] = std::move(record);
  if (path == path_ && found.bytes < text.size())
    numerics::write_file(path, text.substr(0, found.bytes));
}

void Results::add(const std::string& id, Record record) {
  const std::string line = record.dump() + '\n';
  const std::lock_guard<std::mutex> lock(mutex_);
  records_[id] = std::move(record);
  out_ << line << std::flush;
  if (!out_) fail_to_write();
}

void Results::replace(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += record.dump() + '\n';
  out_.close();
  numerics::write_file(path_, text);
}

}  // namespace mxe::explore
