// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a .npy file gives an error of one line, or an array that survives writing.
#include <cstdlib>

#include "model/numerics/files/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    const mxe::numerics::NpyArray array = mxe::numerics::parse_npy(data, size, "fuzz");
    if (array.data.size() != array.size() * mxe::numerics::dtype_size(array.dtype)) std::abort();
    const std::vector<uint8_t> file = mxe::numerics::format_npy(array, "fuzz");
    const mxe::numerics::NpyArray again =
        mxe::numerics::parse_npy(file.data(), file.size(), "again");
    if (again.dtype != array.dtype || again.shape != array.shape || again.data != array.data) {
      std::abort();
    }
    mxe::numerics::to_float32(array, "fuzz");
  } catch (const mxe::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
