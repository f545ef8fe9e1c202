// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/params/params.h"
#include "model/platform/rtl/rtl_top.h"

namespace mxe::test {

/// A configuration at the edges of the parameters, built only for tests (CMakeLists.txt).
struct OddDesign {
  Params params;
  std::function<std::unique_ptr<rtl::RtlTop>(const Params&, const std::string& waves)> make_top;
};

/// narrow, segments, beats, wide, slim, fat or tall; none for any other name.
std::optional<OddDesign> odd_design(const std::string& name);

}  // namespace mxe::test
