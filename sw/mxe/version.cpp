// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/version.h"

#include <fmt/format.h>

#include <systemc>

namespace mxe::cli {

std::string version_text() {
  return fmt::format(
      "mxe {} (commit {})\n"
      "compiler {}\n"
      "SystemC {}\n"
      "Verilator {}",
      MXE_VERSION, MXE_COMMIT, MXE_COMPILER, sc_core::sc_release(), MXE_VERILATOR_VERSION);
}

}  // namespace mxe::cli
