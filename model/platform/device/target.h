// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mxe::device {

enum class Target { golden, model, rtl };

const char* target_name(Target target);
/// The engines of this build: the model and, if built, the RTL.
std::vector<Target> device_targets();
/// Inverse of target_name() for targets of this build. Throws Error with the allowed names.
Target parse_target(const std::string& name);
/// As parse_target(), without golden.
Target parse_engine(const std::string& name);

}  // namespace mxe::device
