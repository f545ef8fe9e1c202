// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mxe {

struct ProcessEnd {
  int start_error = 0;  ///< errno if the program could not be started
  int status = 0;       ///< as waitpid() returns it

  bool succeeded() const { return start_error == 0 && status == 0; }
};

/// Runs a program from PATH without a shell and waits for its end. `words`: its name and arguments.
/// `output`, `error`: descriptors of its standard output and error. Its standard input is empty.
ProcessEnd run_process(const std::vector<std::string>& words, int output, int error);

}  // namespace mxe
