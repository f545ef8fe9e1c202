// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that name the file; where the running program lies.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mx {

/// The bytes of a file, or of standard input for "-": all of them, or the first `most`. Throws
/// Error if it cannot be opened or read.
std::vector<uint8_t> read_file(const std::string& path, std::size_t most = SIZE_MAX);
/// The same, as text.
std::string read_text(const std::string& path, std::size_t most = SIZE_MAX);

/// A file that a program writes bit by bit, such as a trace. "-" and links like /dev/stdout and
/// /dev/fd/3 continue the descriptor they name. Other links are followed. Nothing is unlinked.
class OutputFile {
 public:
  /// Creates the file, or empties a regular one. Throws Error if that is impossible.
  explicit OutputFile(const std::string& path);

  /// Appends. A failure is kept until close(), so this may be called where nothing may be thrown.
  void add(std::string_view text);
  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    add(fmt::format(format, std::forward<T>(values)...));
  }
  /// Hands on what has been added, for people who watch the file.
  void flush();
  /// Throws Error, with the first reason, unless every byte was written.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  int error_ = 0;  // errno of the first failure
};

/// Whether write_file() waits until the bytes are on the disk, for files that outlive a power cut.
enum class Durable { no, yes };

/// Writes a whole file. A regular one is written beside its place and renamed: the place has the
/// old bytes or all of the new ones, whatever happens. A device, a FIFO, "-" and descriptors are
/// written to as by OutputFile. Throws Error if not every byte could be written.
void write_file(const std::string& path, const void* data, std::size_t size,
                Durable durable = Durable::no);
void write_file(const std::string& path, std::string_view text, Durable durable = Durable::no);

/// Throws Error unless a path ends in `extension`, ".fst". Devices, FIFOs and descriptors have no
/// name that says what is in them; they pass. `why` begins the message's second half.
void require_extension(const std::string& path, std::string_view extension, std::string_view why);

/// The path of a regular file, existing or not, with its links followed, for writers of other
/// libraries that replace whatever has the name. Throws Error for devices and FIFOs.
std::string regular_place(const std::string& path);

/// For outputs that their writer removes when it fails: throws Error if there is no such file. An
/// empty path passes.
void require_written(const std::string& path);

/// Whether a path means this process's standard output: "-", /dev/stdout, /dev/fd/1.
bool is_standard_output(const std::string& path);

/// Flushes standard output. Returns the problem in one line, or an empty text if every byte that
/// was ever printed has been written.
std::string standard_output_error();

/// The folder of the running program's file, links resolved; empty if the system does not say it.
std::string program_directory();

}  // namespace mx
