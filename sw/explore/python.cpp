// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/python.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "model/numerics/error.h"
#include "model/numerics/printable.h"

namespace mxe::explore {
namespace {

// A file in memory: a program can write it while nobody reads.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {
    if (file_ < 0) throw mx::Error(fmt::format("no memory for a file: {}", std::strerror(errno)));
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
      if (count <= 0) throw mx::Error("the answer of Python cannot be read");
      size += static_cast<std::size_t>(count);
    }
    return text;
  }

 private:
  int file_;
};

class FileActions {
 public:
  FileActions(const MemoryFile& out, const MemoryFile& err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err.descriptor(), STDERR_FILENO);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw mx::Error(fmt::format("waiting: {}", std::strerror(errno)));
  }
  return status;
}

}  // namespace

std::string python_program() {
  const char* named = std::getenv("MXE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

std::string run_python(const std::string& text, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{python_program(), "-c", text};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const MemoryFile out("out"), err("err");
  const FileActions actions(out, err);
  pid_t process = 0;
  const int error = posix_spawnp(&process, argv[0], actions.get(), nullptr, argv.data(), environ);
  if (error != 0) {
    throw mx::Error(fmt::format(
        "{} cannot be run ({}); allowed: MXE_PYTHON names a Python 3 with the package onnx",
        mx::printable(words[0]), std::strerror(error)));
  }
  const int status = wait_for(process);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return out.text();
  const std::string end = WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  throw mx::Error(fmt::format("{} failed with {}: {}", mx::printable(words[0]), end,
                              mx::printable(last_line(err.text()))));
}

}  // namespace mxe::explore
