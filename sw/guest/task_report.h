// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mxe::guest {

/// A task of Linux that sleeps or runs.
struct Task {
  std::string name;
  int pid = 0;
  char state = '?';  ///< S sleeps, D sleeps and cannot be interrupted, R runs, ...
  bool kernel_thread = false;
  std::vector<std::string> stack;  ///< FUNCTION+OFFSET/SIZE [MODULE], the innermost function first
  std::vector<std::string> registers;  ///< of a program, in lines
};

/// Reads what the kernel prints for sysrq-t. Lines that do not belong to a task are ignored.
std::vector<Task> read_tasks(const std::string& text);

/// The function of the driver, or of the kernel's parts for it (DRM, fences), in which the task
/// waits; nothing if it does not wait for the engine.
std::optional<std::string> engine_function(const Task& task);

/// A line about the first task of a program that waits for the engine; nothing if there is none.
std::optional<std::string> find_stuck(const std::vector<Task>& tasks);

/// The tasks of programs with their stacks and registers, and the threads of the kernel that wait
/// for the engine. The first program of Linux (pid 1) is left out if there is another one.
std::string describe_tasks(const std::vector<Task>& tasks);

}  // namespace mxe::guest
