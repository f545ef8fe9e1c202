// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/python.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/base/process.h"

namespace mxe::explore {
namespace {

// An anonymous file in memory. Unlike a pipe it cannot fill up and block the program.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {
    if (file_ < 0) throw Error(fmt::format("no memory for a file: {}", std::strerror(errno)));
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return file_; }
  std::string text() const {
    std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const ssize_t count =
          pread(file_, text.data() + size, text.size() - size, static_cast<off_t>(size));
      if (count <= 0) throw Error("the answer of Python cannot be read");
      size += static_cast<std::size_t>(count);
    }
    return text;
  }

 private:
  int file_;
};

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

}  // namespace

std::string python_program() {
  const char* named = std::getenv("MXE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

std::string run_python(const std::string& text, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{python_program(), "-c", text};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const MemoryFile out("out"), err("err");
  const ProcessEnd process = run_process(words, out.descriptor(), err.descriptor());
  if (process.start_error != 0) {
    throw Error(fmt::format(
        "{} cannot be run ({}); allowed: MXE_PYTHON names a Python 3 with the package onnx",
        printable(words[0]), std::strerror(process.start_error)));
  }
  if (process.succeeded()) return out.text();
  const int status = process.status;
  const std::string end = WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  throw Error(fmt::format("{} failed with {}: {}", printable(words[0]), end,
                          printable(last_line(err.text()))));
}

}  // namespace mxe::explore
