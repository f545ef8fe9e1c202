// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

/// argv at `address`: pointers, null, strings. Throws Error if it exceeds `room` bytes.
std::vector<uint8_t> lay_out_arguments(const std::vector<std::string>& arguments, Xlen xlen,
                                       uint64_t address, uint64_t room);

}  // namespace mxe::soc
