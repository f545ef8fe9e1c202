// SPDX-License-Identifier: Apache-2.0
// The files of page/ and vendor/, compiled in, so that the page is a single file.
#pragma once

#include <string_view>

namespace mxe::report::assets {

extern const std::string_view kHead;     ///< page/head.html
extern const std::string_view kStyle;    ///< page/style.css
extern const std::string_view kBody;     ///< page/body.html
extern const std::string_view kLibrary;  ///< vendor/echarts.common.min.js
extern const std::string_view kProgram;  ///< the scripts of page/, concatenated

}  // namespace mxe::report::assets
