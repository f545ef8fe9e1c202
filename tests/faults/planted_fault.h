// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/platform/rtl/rtl_top.h"

/// Number of the active fault of faults.cmake in this program's RTL; 0 for none.
extern int planted_fault;

namespace mxe::test {

/// The RTL with the planted faults, design mxe_rtl_faults.
std::unique_ptr<rtl::RtlTop> make_faulty_rtl(const Params& params, const std::string& waves);
/// The same with all inner values visible, design mxe_rtl_faults_values.
std::unique_ptr<rtl::RtlTop> make_watched_faulty_rtl(const Params& params,
                                                     const std::string& waves);

}  // namespace mxe::test
