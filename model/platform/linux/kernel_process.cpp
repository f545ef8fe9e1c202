// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/kernel_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "model/numerics/base/error.h"

namespace mxe::guest {
namespace {

/// Runs in the child process: async-signal-safe calls only.
[[noreturn]] void become(char* const* words, const int* files, int count, pid_t parent,
                         int report) {
  setsid();
  std::signal(SIGPIPE, SIG_DFL);  // the parent ignores it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  personality(ADDR_NO_RANDOMIZE);  // User-mode Linux must be loaded at its link address
  if (getppid() != parent) _exit(1);
  // Move the files to high numbers first, so that dup2 does not overwrite any of them.
  int moved[16];
  for (int i = 0; i < count; i++) moved[i] = fcntl(files[i], F_DUPFD_CLOEXEC, 64);
  for (int i = 0; i < count; i++) dup2(moved[i], i);
  execv(words[0], words);
  const int error = errno;
  if (::write(report, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

}  // namespace

KernelProcess::KernelProcess(const std::vector<std::string>& words, const Files& files) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  // Processes of Linux's programs may outlive the kernel briefly. As subreaper this process becomes
  // their parent, so that the destructor can wait for them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const uml::FileDescriptor read_end(report[0]);
  uml::FileDescriptor write_end(report[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0)
    become(pointers.data(), files.data(), static_cast<int>(files.size()), parent, report[1]);
  write_end.reset();
  int error = errno;
  if (pid_ < 0 || read(read_end.get(), &error, sizeof error) > 0) {
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    throw Error(fmt::format("cannot run {}: {}", words.front(), std::strerror(error)));
  }
  end_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!end_.valid()) throw Error(fmt::format("cannot watch a process: {}", std::strerror(errno)));
}

void KernelProcess::kill() const noexcept {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

KernelProcess::~KernelProcess() {
  kill();
  if (pid_ <= 0) return;
  waitpid(pid_, nullptr, 0);
  while (waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace mxe::guest
