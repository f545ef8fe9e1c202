// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/build_on_demand.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "model/numerics/error.h"
#include "model/numerics/files.h"

namespace mxe {

void build_on_demand(const std::string& target) {
  const std::filesystem::path build = mx::program_directory();
  if (!exists(build / "CMakeCache.txt") || !exists(build / MXE_RTL_LIST)) return;
  fmt::print(stderr, "building {}, which happens once\n", target);
  const std::string command = fmt::format(
      "flock '{0}/rtl.lock' cmake --build '{0}' --target {1} 1>&2", build.string(), target);
  if (std::system(command.c_str()) != 0) throw mx::Error(target + " could not be built");
}

}  // namespace mxe
