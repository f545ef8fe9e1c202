// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the .npz reader throws Error with one line, or returns arrays for its names.
#include <cstdlib>
#include <string_view>

#include "sw/arrays/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const auto check = [](const mxe::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  };
  try {
    const mxe::arrays::NpzFile file(data, size, "fuzz");
    for (std::size_t i = 0; i < file.names().size(); i++) {
      try {
        const mxe::numerics::NpyArray array = file.read(i);
        if (array.data.size() != array.size() * mxe::numerics::dtype_size(array.dtype))
          std::abort();
      } catch (const mxe::Error& error) {
        check(error);
      }
    }
  } catch (const mxe::Error& error) {
    check(error);
  }
  return 0;
}
