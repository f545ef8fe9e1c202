// SPDX-License-Identifier: Apache-2.0
// Contents of page/ and vendor/, compiled in.
#pragma once

#include <string_view>

namespace mxe::report::assets {

extern const std::string_view kHead;
extern const std::string_view kStyle;
extern const std::string_view kBody;
extern const std::string_view kLibrary;
extern const std::string_view kProgram;  ///< the scripts of page/, concatenated

}  // namespace mxe::report::assets
