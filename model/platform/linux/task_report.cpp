// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/task_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace mxe::guest {
namespace {

constexpr int kFirstProgram = 1, kFirstThread = 2;  // pids; 2 is the parent of all kernel threads

std::string without_time(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  static const std::regex time(R"(^\[ *\d+\.\d+\] ?)");
  return std::regex_replace(line, time, "");
}

std::optional<Task> read_head(const std::string& line) {
  static const std::regex head(R"(task:(.*?) *state:(.) .*?pid:(\d{1,9}) .*?ppid:(\d{1,9}) .*)");
  std::smatch match;
  if (!std::regex_match(line, match, head)) return std::nullopt;
  Task task;
  task.name = match[1];
  task.state = match[2].str().front();
  task.pid = std::stoi(match[3]);
  task.kernel_thread = task.pid == kFirstThread || std::stoi(match[4]) == kFirstThread;
  return task;
}

std::optional<std::string> read_registers(const std::string& line) {
  static const std::string head = "Program: ";
  if (line.rfind(head, 0) != 0) return std::nullopt;
  return line.substr(head.size());
}

/// Parses a stack frame. Skips frames with "? " before the name, leftovers of earlier calls.
std::optional<std::string> read_frame(const std::string& line) {
  static const std::regex frame(R"( *\[<[0-9a-f]+>\] ([^? ].*\S) *)");
  std::smatch match;
  if (!std::regex_match(line, match, frame)) return std::nullopt;
  return match[1];
}

bool is_worth_showing(const Task& task) {
  return !task.kernel_thread || engine_function(task).has_value();
}

}  // namespace

std::vector<Task> read_tasks(const std::string& text) {
  std::vector<Task> tasks;
  std::istringstream lines(text);
  bool in_task = false;
  for (std::string line; std::getline(lines, line);) {
    line = without_time(line);
    if (std::optional<Task> task = read_head(line)) {
      tasks.push_back(std::move(*task));
      in_task = true;
    } else if (const std::optional<std::string> frame = read_frame(line)) {
      if (in_task) tasks.back().stack.push_back(*frame);
    } else if (const std::optional<std::string> registers = read_registers(line)) {
      if (in_task) tasks.back().registers.push_back(*registers);
    } else if (line.rfind("Showing busy workqueues", 0) == 0) {
      in_task = false;
    }
  }
  return tasks;
}

std::optional<std::string> engine_function(const Task& task) {
  static const std::regex engine(R"((\w+)\+.*\[\w+\]|((?:dma_fence|drm|accel)_\w+)\+.*)");
  std::smatch match;
  for (const std::string& frame : task.stack) {
    if (std::regex_match(frame, match, engine)) return match[1].matched ? match[1] : match[2];
  }
  return std::nullopt;
}

std::optional<std::string> find_stuck(const std::vector<Task>& tasks) {
  for (const Task& task : tasks) {
    if (task.kernel_thread) continue;
    if (const std::optional<std::string> function = engine_function(task))
      return fmt::format("{} (pid {}) waits in {}", task.name, task.pid, *function);
  }
  return std::nullopt;
}

std::string describe_tasks(const std::vector<Task>& tasks) {
  const auto is_program = [](const Task& task) {
    return !task.kernel_thread && task.pid != kFirstProgram;
  };
  const bool has_program = std::any_of(tasks.begin(), tasks.end(), is_program);
  std::string text;
  for (const Task& task : tasks) {
    if (!is_worth_showing(task) || (task.pid == kFirstProgram && has_program)) continue;
    text += fmt::format("{} {}, pid {}, state {}:\n", task.kernel_thread ? "thread" : "task",
                        task.name, task.pid, task.state);
    for (const std::string& frame : task.stack) text += fmt::format("  {}\n", frame);
    if (!task.registers.empty()) text += "  registers of the program:\n";
    for (const std::string& line : task.registers) text += fmt::format("    {}\n", line);
  }
  return text;
}

}  // namespace mxe::guest
