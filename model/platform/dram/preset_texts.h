// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mxe::dram {

// The files in presets/.
extern const std::string_view kDdrFour;
extern const std::string_view kDdrFive;
extern const std::string_view kDdrFiveFast;
extern const std::string_view kHbmTwo;
extern const std::string_view kHbmThree;
extern const std::string_view kLpddrFourX;
extern const std::string_view kLpddrFive;
extern const std::string_view kLpddrFiveX;

}  // namespace mxe::dram
