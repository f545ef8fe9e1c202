// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::guest {

enum class Kernel { plain, debug };

/// Path of the kernel built by scripts/linux-kernel. Throws Error with the build command.
std::string kernel_program(Kernel kernel);

/// Path of a user-built kernel in `folder`. Throws Error if it is missing.
std::string kernel_program(const std::string& folder);

}  // namespace mxe::guest
