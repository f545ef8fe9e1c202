// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/blame/pipeline.h"

namespace mxe::blame {

/// The stage after the register of which a value's path ends: sig_q5 and all that a visit shows
/// behind it are five clocks behind the inputs.
inline unsigned stage_of(const std::string& path, unsigned before) {
  const std::size_t at = path.rfind("_q");
  if (at == std::string::npos || at + 3 != path.size()) return before;
  const unsigned stage = static_cast<unsigned>(path.back() - '0');
  return stage <= 9 ? stage : before;
}

/// Places the values of mxe_facc, alone or as the sum of mxe_merge.
struct PlaceInFacc {
  unsigned stage = 0;

  Place operator()(const std::string& path) {
    // What a register at the end of a stage holds is what the stage made.
    static constexpr const char* kSteps[] = {"align",     "align",     "add",
                                             "magnitude", "normalise", "normalise"};
    stage = stage_of(path, stage);
    const bool last = stage == 5 && path.find("_q5") == std::string::npos;
    return {"mxe_facc", last ? "round" : kSteps[stage], stage};
  }
};

}  // namespace mxe::blame
