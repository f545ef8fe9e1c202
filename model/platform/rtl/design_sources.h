// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::rtl {

/// Returns the first source that is missing or differs from the copy made when `library` was built,
/// else "". The copies are in <library>.sources (model/platform/rtl/record_sources.cmake); without
/// them (installed designs) the result is "".
std::string changed_source(const std::string& library);

}  // namespace mxe::rtl
