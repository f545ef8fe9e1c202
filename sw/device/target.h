// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mxe {

/// Where a job runs.
enum class Target { golden, model, rtl };

/// "golden", "model" or "rtl".
const char* target_name(Target target);
/// The inverse; throws mx::Error with the allowed names.
Target parse_target(const std::string& name);

}  // namespace mxe
