// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/planted_fault.h"

#include "model/platform/rtl/plugin_loader.h"

int planted_fault = 0;

/// Called by the mutated RTL; returns the number of the active fault.
extern "C" int mxe_planted_fault() { return planted_fault; }

namespace mxe::test {

std::unique_ptr<rtl::RtlTop> make_faulty_rtl(const Params& params, const std::string& waves) {
  return rtl::load_design("mxe_rtl_faults").make(params, waves);
}

std::unique_ptr<rtl::RtlTop> make_watched_faulty_rtl(const Params& params,
                                                     const std::string& waves) {
  return rtl::load_design("mxe_rtl_faults_values").make(params, waves);
}

}  // namespace mxe::test
