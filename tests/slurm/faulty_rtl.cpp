// SPDX-License-Identifier: Apache-2.0
// In place of tb/rtl/rtl_library.cpp: the RTL of this `mxe` swaps the scales of two blocks.
#include "tests/faults/planted_fault.h"

namespace mxe {

void require_rtl(const Params&, bool) {}

void require_current_rtl(const Params&, bool) {}

std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves) {
  planted_fault = 2;
  return make_faulty_rtl(params, waves);
}

std::unique_ptr<RtlTop> make_watched_rtl_top(const Params& params, const std::string& waves) {
  planted_fault = 2;
  return make_watched_faulty_rtl(params, waves);
}

}  // namespace mxe
