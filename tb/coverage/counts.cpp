// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/counts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "tb/coverage/coverage.h"

namespace mxe::coverage {
namespace {

namespace fs = std::filesystem;

// A coverage file of Verilator: a header line, then "C '<name of the point>' <count>" per point.
const char* const kHeader = "# SystemC::Coverage-3\n";
const char* const kPointBegin = "C '";
const char* const kPointEnd = "' ";

LineCounts read_points(std::istream& file) {
  LineCounts counts;
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.rfind(kPointEnd);
    if (line.rfind(kPointBegin, 0) != 0 || end == std::string::npos) continue;
    counts[line.substr(3, end - 3)] += std::strtoull(line.c_str() + end + 2, nullptr, 10);
  }
  return counts;
}

class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "mxe_lines_XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw Error(fmt::format("cannot make a file like '{}'", path_));
    close(file);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void add(CoverageCounts& counts, const CoverageCounts& more) {
  add(counts.bins, more.bins);
  for (const auto& [point, times] : more.lines) counts.lines[point] += times;
}

LineCounts line_counts(rtl::RtlTop& top) {
  const TemporaryFile file;
  top.write_line_coverage(file.path());
  std::ifstream points(file.path());
  return read_points(points);
}

void write_coverage(const std::string& directory, const CoverageCounts& counts) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error(fmt::format("cannot make the directory '{}'", directory));
  Bins bins = all_bins();
  bins.add(counts.bins);
  numerics::write_file(directory + "/bins.json", bins.to_json().dump(1) + "\n");
  if (counts.lines.empty()) return;
  std::string text = kHeader;
  for (const auto& [point, times] : counts.lines) {
    text += fmt::format("{}{}{}{}\n", kPointBegin, point, kPointEnd, times);
  }
  numerics::write_file(directory + "/lines.dat", text);
}

}  // namespace mxe::coverage
