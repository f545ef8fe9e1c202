// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

namespace mxe::cli {

void print_json(const Json& object) { fmt::print("{}\n", object.dump()); }

void show_progress(const std::string& line) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (!terminal) return;
  std::fputs(fmt::format("\r\033[K{}", line).c_str(), stderr);
  std::fflush(stderr);
}

unsigned hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

int fail(const std::string& who, std::string message, ExitCode code) {
  show_progress("");
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  // fmt::print throws if standard error is closed.
  std::fputs(fmt::format("{}: {}\n", who, message).c_str(), stderr);
  return code;
}

}  // namespace mxe::cli
