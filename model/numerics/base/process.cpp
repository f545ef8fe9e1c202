// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/numerics/base/error.h"

namespace mxe {
namespace {

class FileActions {
 public:
  FileActions(int output, int error) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, error, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

ProcessEnd run_process(const std::vector<std::string>& words, int output, int error) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const FileActions actions(output, error);
  ProcessEnd end;
  pid_t process = 0;
  end.start_error =
      posix_spawnp(&process, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  if (end.start_error != 0) return end;
  while (waitpid(process, &end.status, 0) < 0) {
    if (errno != EINTR) throw Error(fmt::format("waitpid: {}", std::strerror(errno)));
  }
  return end;
}

}  // namespace mxe
