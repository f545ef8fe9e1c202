#include "mutants.h"

#include <cstdint>
#include <map>

#include "numerics/error.h"

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
  return found->second(params, waves);
}

}  // namespace mxe
