// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe::cli {

std::string version_text();

}  // namespace mxe::cli
