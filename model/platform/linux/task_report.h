// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mxe::guest {

struct Task {
  std::string name;
  int pid = 0;
  char state = '?';  ///< S sleeping, D uninterruptible sleep, R running, ...
  bool kernel_thread = false;
  std::vector<std::string> stack;      ///< FUNCTION+OFFSET/SIZE [MODULE], innermost first
  std::vector<std::string> registers;  ///< user registers, several lines
};

/// Parses the kernel's output of sysrq-t; ignores unrelated lines.
std::vector<Task> read_tasks(const std::string& text);

/// The function (driver, DRM, fences) in which the task waits for the engine; else nullopt.
std::optional<std::string> engine_function(const Task& task);

/// A line about the first program that waits for the engine; nullopt if none does.
std::optional<std::string> find_stuck(const std::vector<Task>& tasks);

/// Describes all programs, and the kernel threads that wait for the engine. Omits pid 1 unless it
/// is the only program.
std::string describe_tasks(const std::vector<Task>& tasks);

}  // namespace mxe::guest
