// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: .safetensors give an error of one line, or tensors that survive writing.
#include <algorithm>
#include <cstdlib>

#include "model/numerics/files/safetensors.h"

// F4 tensors with an odd last axis are read, but not written.
static bool is_odd(const mxe::numerics::NamedTensor& tensor) {
  return tensor.dtype == "F4" && (tensor.array.shape.empty() || tensor.array.shape.back() % 2 != 0);
}

static void check_round_trip(const std::vector<mxe::numerics::NamedTensor>& tensors) {
  if (std::any_of(tensors.begin(), tensors.end(), is_odd)) return;
  const std::vector<uint8_t> file = mxe::numerics::format_safetensors(tensors);
  const std::vector<mxe::numerics::NamedTensor> again =
      mxe::numerics::parse_safetensors(file.data(), file.size(), "again");
  if (again.size() != tensors.size()) std::abort();
  for (std::size_t i = 0; i < again.size(); i++) {
    if (again[i].name != tensors[i].name || again[i].dtype != tensors[i].dtype ||
        again[i].array.shape != tensors[i].array.shape ||
        again[i].array.data != tensors[i].array.data) {
      std::abort();
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    const std::vector<mxe::numerics::NamedTensor> tensors =
        mxe::numerics::parse_safetensors(data, size, "fuzz");
    for (const mxe::numerics::NamedTensor& tensor : tensors) {
      if (tensor.array.data.size() !=
          tensor.array.size() * mxe::numerics::dtype_size(tensor.array.dtype)) {
        std::abort();
      }
    }
    check_round_trip(tensors);
  } catch (const mxe::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
