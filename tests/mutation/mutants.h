// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/platform/rtl/rtl_top.h"

namespace mxe::test {

/// The RTL with one mutant (0: none) from now on. Throws Error if the group or signals are missing.
std::unique_ptr<rtl::RtlTop> make_mutant(const std::string& group, unsigned number,
                                         const Params& params, const std::string& waves);

}  // namespace mxe::test
