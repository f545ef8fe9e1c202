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

// Defined in the Verilated libraries (verilated_factory.cpp).
std::unique_ptr<RtlTop> make_Vmxe_mutants_control(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_mutants_results(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_mutants_sums(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_mutants_products(const Params&, const std::string&);

std::unique_ptr<RtlTop> make_mutant(const std::string& group, unsigned number, const Params& params,
                                    const std::string& waves) {
  using Make = std::unique_ptr<RtlTop> (*)(const Params&, const std::string&);
  static const std::map<std::string, Make> kGroups = {{"control", make_Vmxe_mutants_control},
                                                      {"results", make_Vmxe_mutants_results},
                                                      {"sums", make_Vmxe_mutants_sums},
                                                      {"products", make_Vmxe_mutants_products}};
  const auto found = kGroups.find(group);
  if (found == kGroups.end()) throw mx::Error("no group of mutants '" + group + "'");
  active_mutant = static_cast<uint16_t>(number);
  return found->second(params, waves);
}

}  // namespace mxe
