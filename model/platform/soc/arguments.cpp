// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/arguments.h"

#include <fmt/format.h>

#include "model/numerics/base/error.h"

namespace mxe::soc {

std::vector<uint8_t> lay_out_arguments(const std::vector<std::string>& arguments, Xlen xlen,
                                       uint64_t address, uint64_t room) {
  const unsigned width = xlen == Xlen::rv64 ? 8 : 4;
  std::vector<uint8_t> pointers, strings;
  for (const std::string& argument : arguments) {
    const uint64_t at = address + (arguments.size() + 1) * width + strings.size();
    for (unsigned i = 0; i < width; i++) pointers.push_back(static_cast<uint8_t>(at >> 8 * i));
    strings.insert(strings.end(), argument.begin(), argument.end());
    strings.push_back(0);
  }
  pointers.resize(pointers.size() + width);
  pointers.insert(pointers.end(), strings.begin(), strings.end());
  if (pointers.size() > room) {
    throw Error(fmt::format("the program's arguments need {} bytes, there is room for {}",
                            pointers.size(), room));
  }
  return pointers;
}

}  // namespace mxe::soc
