// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mxe {

/// Where a job runs.
enum class Target { golden, model, rtl };

/// "golden", "model" or "rtl".
const char* target_name(Target target);
/// The engines of this build: the model, and the RTL unless it was built without.
std::vector<Target> device_targets();
/// The target with this name: golden or an engine of this build. Throws mx::Error with the allowed
/// names.
Target parse_target(const std::string& name);
/// The same for who needs an engine, with registers and cycles: golden is not allowed.
Target parse_engine(const std::string& name);

}  // namespace mxe
