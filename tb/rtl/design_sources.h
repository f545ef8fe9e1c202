// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe {

/// The first file that differs from what the design `library` was built from, or an empty string.
/// The build leaves copies of these files beside the library, in <library>.sources
/// (tb/record_sources.cmake); without that folder, as for an installed design, nothing can differ.
/// A file that no longer exists differs.
std::string changed_source(const std::string& library);

}  // namespace mxe
