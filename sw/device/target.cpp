// SPDX-License-Identifier: Apache-2.0
#include "sw/device/target.h"

#include <fmt/format.h>

#include "model/numerics/error.h"

namespace mxe {

const char* target_name(Target target) {
  switch (target) {
    case Target::golden:
      return "golden";
    case Target::model:
      return "model";
    case Target::rtl:
      return "rtl";
  }
  return "";
}

Target parse_target(const std::string& name) {
  for (const Target target : {Target::golden, Target::model, Target::rtl}) {
    if (name == target_name(target)) return target;
  }
  throw mx::Error(fmt::format("cannot run on '{}' (allowed: golden, model, rtl)", name));
}

}  // namespace mxe
