// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/build_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "model/numerics/error.h"
#include "model/numerics/files.h"

extern char** environ;

namespace mxe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMayBuild = "MXE_BUILD";

/// Where a started program writes.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  void write_to(const fs::path& log) {
    if (log.empty()) {
      posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
      return;
    }
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

bool may_build() {
  const char* value = std::getenv(kMayBuild);
  return value && std::strcmp(value, "1") == 0;
}

void allow_building() { setenv(kMayBuild, "1", 1); }

fs::path build_folder() {
  const fs::path folder = mx::program_directory();
  return exists(folder / "CMakeCache.txt") && exists(folder / MXE_RTL_LIST) ? folder : fs::path();
}

std::string build_command(const std::string& target) {
  return fmt::format("cmake --build {} --target {}", build_folder().string(), target);
}

void build_target(const std::string& target) {
  const fs::path folder = build_folder();
  if (folder.empty()) throw mx::Error(fmt::format("{} is not installed", target));
  const FileLock lock(folder / "build.lock");
  fmt::print(stderr, "building {}\n", target);
  if (!run_program({"cmake", "--build", folder.string(), "--target", target})) {
    throw mx::Error(fmt::format("{} could not be built", target));
  }
}

bool run_program(const std::vector<std::string>& words, const fs::path& log) {
  FileActions actions;
  actions.write_to(log);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  if (error != 0) {
    throw mx::Error(fmt::format("cannot run {}: {}", words.front(), std::strerror(error)));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

FileLock::FileLock(const fs::path& file)
    : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  while (file_ >= 0 && flock(file_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    close(file_);
    file_ = -1;
  }
  if (file_ < 0) {
    throw mx::Error(fmt::format("cannot lock {}: {}", file.string(), std::strerror(errno)));
  }
}

FileLock::~FileLock() { close(file_); }

}  // namespace mxe
