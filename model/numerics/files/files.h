// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxe::numerics {

/// Reads at most `most` bytes of a file, or of standard input for "-". Throws Error on failure.
std::vector<uint8_t> read_file(const std::string& path, std::size_t most = SIZE_MAX);
std::string read_text(const std::string& path, std::size_t most = SIZE_MAX);

/// An output file that is written in parts, such as a trace. "-", /dev/stdout and /dev/fd/3 mean
/// the open descriptor; other symbolic links are followed. Failures never unlink the file.
class OutputFile {
 public:
  /// Creates the file or truncates an existing one. Throws Error on failure.
  explicit OutputFile(const std::string& path);

  /// Appends. Never throws: close() reports a failure.
  void add(std::string_view text);
  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    add(fmt::format(format, std::forward<T>(values)...));
  }
  void flush();
  /// Throws Error for the first failure, if any.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  int error_ = 0;  // errno of the first failure
};

/// Durable::yes: write_file() waits until the bytes are on the disk (fsync), before it renames.
enum class Durable { no, yes };

/// Writes a whole file. A regular file is written under a temporary name in the same folder, then
/// renamed: readers see either the old or the complete new bytes. Devices, FIFOs, "-", descriptors
/// and existing files in folders without write permission are written as by OutputFile. Throws
/// Error unless every byte was written.
void write_file(const std::string& path, const void* data, std::size_t size,
                Durable durable = Durable::no);
void write_file(const std::string& path, std::string_view text, Durable durable = Durable::no);

/// Throws Error "PATH: WHY; allowed: ..." unless the path ends in `extension`, such as ".fst".
/// Devices, FIFOs and descriptors pass.
void require_extension(const std::string& path, std::string_view extension, std::string_view why);

/// Resolves the symbolic links of a regular file's path; the file need not exist. For third-party
/// writers that replace the file of this name. Throws Error for devices, FIFOs and descriptors.
std::string regular_place(const std::string& path);

/// Throws Error unless `path` is empty or exists: some writers remove an output after a failure.
void require_written(const std::string& path);

bool is_standard_output(const std::string& path);

/// Flushes standard output. Returns "" if every byte was written, else one line with the problem.
std::string standard_output_error();

/// The folder of the running program, links resolved; empty if unknown.
std::string program_directory();

}  // namespace mxe::numerics
