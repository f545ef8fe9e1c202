// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/kernels.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "model/numerics/base/error.h"

namespace mxe::guest {
namespace {

std::string kernel_folder(Kernel kernel) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string cache = variable("MXE_LINUX_CACHE");
  if (cache.empty()) cache = variable("HOME") + "/.cache/mxe/linux";
  return fmt::format("{}/{}", cache, kernel == Kernel::plain ? MXE_PLAIN_KERNEL : MXE_DEBUG_KERNEL);
}

}  // namespace

std::string kernel_program(Kernel kernel) {
  const std::string folder = kernel_folder(kernel);
  if (!std::filesystem::exists(folder + "/complete")) {
    throw Error(fmt::format("no kernel in {}: scripts/setup {} builds it", folder,
                            kernel == Kernel::plain ? "--linux" : "--linux-debug"));
  }
  return folder + "/linux";
}

std::string kernel_program(const std::string& folder) {
  const std::string program = folder + "/linux";
  if (!std::filesystem::exists(program)) {
    throw Error(
        fmt::format("no kernel {} (--kernel names the folder of a User-mode Linux that was built: "
                    "make ARCH=um)",
                    program));
  }
  return program;
}

}  // namespace mxe::guest
