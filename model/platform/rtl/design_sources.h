// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::rtl {

/// Returns the first source that differs from the copy used to build the design `library`, or an
/// empty string. The build leaves the copies in <library>.sources
/// (model/platform/rtl/record_sources.cmake); without that folder (installed designs) the result is
/// empty. A missing source counts as different.
std::string changed_source(const std::string& library);

}  // namespace mxe::rtl
