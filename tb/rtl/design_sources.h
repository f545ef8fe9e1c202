// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe {

/// Returns the first source that differs from the copy used to build the design `library`
/// (tb/record_sources.cmake), or an empty string, also if <library>.sources does not exist
/// (installed designs). A missing source counts as different.
std::string changed_source(const std::string& library);

}  // namespace mxe
