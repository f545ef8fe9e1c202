#include <fmt/format.h>

#include "numerics/error.h"
#include "tb/rtl_top.h"

namespace mxe {

// Defined in the Verilated libraries (verilated_factory.cpp).
std::unique_ptr<RtlTop> make_Vmxe_small(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_base(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_large(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_small_fst(const Params&, const std::string&);
std::unique_ptr<RtlTop> make_Vmxe_base_fst(const Params&, const std::string&);

void require_rtl(const Params& params, bool waves) {
  const std::string config = params.config_name();
  if (config == "small" || config == "base" || (config == "large" && !waves)) return;
  if (config == "large") {
    throw mx::Error("the RTL of configuration large has no waves, only small and base have");
  }
  throw mx::Error(
      fmt::format("the RTL was built for the configurations small, base and large, not for {}: {}",
                  config, params.to_string()));
}

std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves) {
  require_rtl(params, !waves.empty());
  const std::string config = params.config_name();
  if (config == "large") return make_Vmxe_large(params, waves);
  if (config == "small")
    return (waves.empty() ? make_Vmxe_small : make_Vmxe_small_fst)(params, waves);
  return (waves.empty() ? make_Vmxe_base : make_Vmxe_base_fst)(params, waves);
}

}  // namespace mxe
