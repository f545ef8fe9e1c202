// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::guest {

enum class Kernel { plain, debug };

/// The program of this kernel, where scripts/linux-kernel builds it. Throws mx::Error, with the
/// command that builds it, if it is not there.
std::string kernel_program(Kernel kernel);

/// The program of a kernel that the user built, in `folder`. Throws mx::Error if it is not there.
std::string kernel_program(const std::string& folder);

}  // namespace mxe::guest
