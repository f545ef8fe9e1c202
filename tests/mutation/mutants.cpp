// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutants.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "model/numerics/error.h"
#include "tb/rtl/rtl_engine.h"

namespace {
uint16_t active_mutant = 0;
}

/// What the mutated RTL asks when it starts.
extern "C" uint16_t mxe_mutant() { return active_mutant; }

namespace mxe {

// Defined in the Verilated libraries (verilated_factory.cpp), one for each group.
#define MXE_MUTANTS(group) \
  std::unique_ptr<RtlTop> make_Vmxe_mutants_##group(const Params&, const std::string&);
#include "mutant_groups.inc"
#undef MXE_MUTANTS

std::unique_ptr<RtlTop> make_mutant(const std::string& group, unsigned number, const Params& params,
                                    const std::string& waves) {
  using Make = std::unique_ptr<RtlTop> (*)(const Params&, const std::string&);
#define MXE_MUTANTS(group) {#group, make_Vmxe_mutants_##group},
  static const std::map<std::string, Make> kGroups = {
#include "mutant_groups.inc"
  };
#undef MXE_MUTANTS
  const auto found = kGroups.find(group);
  if (found == kGroups.end()) throw mx::Error("no group of mutants '" + group + "'");
  active_mutant = static_cast<uint16_t>(number);
  std::unique_ptr<RtlTop> top = found->second(params, waves);
  const std::vector<RtlSignal> signals = top->signals();
  const auto is_counter = [](const RtlSignal& s) { return s.name() == RtlEngine::counter_name(0); };
  if (std::none_of(signals.begin(), signals.end(), is_counter)) {
    throw mx::Error("the counters of the mutants '" + group + "' cannot be set");
  }
  return top;
}

}  // namespace mxe
