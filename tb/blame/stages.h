// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tb/blame/pipeline.h"

namespace mxe::blame {

/// Pipeline stage of a signal from its suffix: sig_q5 is five cycles after the inputs. A signal
/// without suffix has the stage of the previously visited one (`before`).
inline unsigned stage_of(const std::string& path, unsigned before) {
  const std::size_t at = path.rfind("_q");
  if (at == std::string::npos || at + 3 != path.size()) return before;
  const unsigned stage = static_cast<unsigned>(path.back() - '0');
  return stage <= 9 ? stage : before;
}

/// Maps values of mxe_facc, alone or inside mxe_merge, to their step.
struct PlaceInFacc {
  unsigned stage = 0;

  Place operator()(const std::string& path) {
    // A register at the end of a stage belongs to that stage.
    static constexpr const char* kSteps[] = {"align",     "align",     "add",
                                             "magnitude", "normalise", "normalise"};
    stage = stage_of(path, stage);
    const bool last = stage == 5 && path.find("_q5") == std::string::npos;
    return {"mxe_facc", last ? "round" : kSteps[stage], stage};
  }
};

}  // namespace mxe::blame
