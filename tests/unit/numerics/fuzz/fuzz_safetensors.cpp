// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the .safetensors reader either throws Error with one line or returns tensors
// whose values fill their shapes.
#include <cstdlib>

#include "model/numerics/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    for (const mx::NamedTensor& tensor : mx::parse_safetensors(data, size, "fuzz")) {
      if (tensor.array.data.size() != tensor.array.size() * mx::dtype_size(tensor.array.dtype)) {
        std::abort();
      }
    }
  } catch (const mx::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
