// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/platform/uml/file_descriptor.h"

namespace mxe::guest {

/// A User-mode Linux: a process in a group of its own, with its children. None of them outlives
/// this object, nor this process.
class KernelProcess {
 public:
  /// What the kernel reads and writes, as it gets them, beginning with number 0.
  using Files = std::vector<int>;

  /// Throws mx::Error if the program cannot be run.
  KernelProcess(const std::vector<std::string>& words, const Files& files);
  ~KernelProcess();
  KernelProcess(const KernelProcess&) = delete;
  KernelProcess& operator=(const KernelProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Can be read when the process has ended.
  int end() const { return end_.get(); }
  /// Ends all of them; may be called by a handler of a signal.
  void kill() const noexcept;

 private:
  pid_t pid_ = -1;
  uml::FileDescriptor end_;
};

}  // namespace mxe::guest
