// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/odd_designs.h"

#include <map>
#include <sstream>

#include "model/platform/rtl/plugin_loader.h"

namespace mxe::test {

std::optional<OddDesign> odd_design(const std::string& name) {
  static const std::map<std::string, const char*> kAssignments = {
#define MXE_ODD_DESIGN(name, assignments) {#name, assignments},
#include "odd_designs.inc"
#undef MXE_ODD_DESIGN
  };
  const auto found = kAssignments.find(name);
  if (found == kAssignments.end()) return {};
  Params params = Params::named("small");
  std::istringstream words(found->second);
  for (std::string word; words >> word;) params.set(word);
  return OddDesign{params, rtl::design_factory("mxe_rtl_" + name)};
}

}  // namespace mxe::test
