// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::guest {

enum class Kernel { plain, debug };

/// The folder where scripts/setup --linux builds this kernel, as scripts/linux-kernel says it.
std::string kernel_folder(Kernel kernel);

/// The kernel in `folder`. Throws mx::Error, with the command that helps, if it is not there.
std::string kernel_program(const std::string& folder, Kernel kernel);

}  // namespace mxe::guest
