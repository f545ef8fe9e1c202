// SPDX-License-Identifier: Apache-2.0
#include "sw/guest/kernels.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "model/numerics/error.h"

namespace mxe::guest {

std::string kernel_folder(Kernel kernel) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string cache = variable("MXE_LINUX_CACHE");
  if (cache.empty()) cache = variable("HOME") + "/.cache/mxe/linux";
  return fmt::format("{}/{}", cache, kernel == Kernel::plain ? MXE_PLAIN_KERNEL : MXE_DEBUG_KERNEL);
}

std::string kernel_program(const std::string& folder, Kernel kernel) {
  if (!std::filesystem::exists(folder + "/complete")) {
    throw mx::Error(fmt::format("no kernel in {}: scripts/setup {} builds it", folder,
                                kernel == Kernel::plain ? "--linux" : "--linux-debug"));
  }
  return folder + "/linux";
}

}  // namespace mxe::guest
