// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/platform/uml/file_descriptor.h"

namespace mxe::guest {

/// A User-mode Linux and its children: a process group that ends with this object or process.
class KernelProcess {
 public:
  /// Files of the kernel; index = descriptor number.
  using Files = std::vector<int>;

  /// Throws Error if the program cannot be started.
  KernelProcess(const std::vector<std::string>& words, const Files& files);
  ~KernelProcess();
  KernelProcess(const KernelProcess&) = delete;
  KernelProcess& operator=(const KernelProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Becomes readable when the process has ended.
  int end() const { return end_.get(); }
  /// Kills the process group; async-signal-safe.
  void kill() const noexcept;

 private:
  pid_t pid_ = -1;
  uml::FileDescriptor end_;
};

}  // namespace mxe::guest
