// SPDX-License-Identifier: Apache-2.0
// Other programs, started without a shell.
#pragma once

#include <string>
#include <vector>

namespace mx {

/// How a program ended.
struct ProcessEnd {
  int start_error = 0;  ///< an errno value if it could not be started
  int status = 0;       ///< as waitpid() returns it

  bool succeeded() const { return start_error == 0 && status == 0; }
};

/// Runs a program, found on PATH, and waits for its end. `words` are its name and arguments. Its
/// standard input is empty; `output` and `error` are the descriptors of its standard output and
/// error.
ProcessEnd run_process(const std::vector<std::string>& words, int output, int error);

}  // namespace mx
