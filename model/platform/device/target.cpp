// SPDX-License-Identifier: Apache-2.0
#include "model/platform/device/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/numerics/base/error.h"

namespace mxe::device {

namespace {

Target find_target(const std::string& name, const std::vector<Target>& allowed) {
  std::vector<const char*> names;
  for (const Target target : allowed) {
    if (name == target_name(target)) return target;
    names.push_back(target_name(target));
  }
  throw Error(fmt::format("cannot run on '{}' (allowed: {})", name, fmt::join(names, ", ")));
}

}  // namespace

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

std::vector<Target> device_targets() {
#ifdef MXE_WITH_RTL
  return {Target::model, Target::rtl};
#else
  return {Target::model};
#endif
}

Target parse_target(const std::string& name) {
  std::vector<Target> allowed = device_targets();
  allowed.insert(allowed.begin(), Target::golden);
  return find_target(name, allowed);
}

Target parse_engine(const std::string& name) { return find_target(name, device_targets()); }

}  // namespace mxe::device
