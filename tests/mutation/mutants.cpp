// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutants.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/plugin_loader.h"
#include "model/platform/rtl/rtl_engine.h"

namespace {
uint16_t active_mutant = 0;
}

/// Called by the mutated RTL at its start.
extern "C" uint16_t mxe_mutant() { return active_mutant; }

namespace mxe::test {

std::unique_ptr<rtl::RtlTop> make_mutant(const std::string& group, unsigned number,
                                         const Params& params, const std::string& waves) {
  active_mutant = static_cast<uint16_t>(number);
  std::unique_ptr<rtl::RtlTop> top =
      rtl::load_design("mxe_rtl_mutants_" + group).make(params, waves);
  const std::vector<rtl::RtlSignal> signals = top->signals();
  const auto is_counter = [](const rtl::RtlSignal& s) {
    return s.name() == rtl::RtlEngine::counter_name(0);
  };
  if (std::none_of(signals.begin(), signals.end(), is_counter)) {
    throw Error("the counters of the mutants '" + group + "' cannot be set");
  }
  return top;
}

}  // namespace mxe::test
