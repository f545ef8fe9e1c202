#include "command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mxe::cli {

void print_json(const Json& object) { fmt::print("{}\n", object.dump()); }

void show_progress(const std::string& line) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (!terminal) return;
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

}  // namespace mxe::cli
