// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the output of the ONNX reader is an error of one line, or legal products.
#include <string>

#include "sw/explore/onnx_model.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  using mxe::test::require;
  const std::string answer(reinterpret_cast<const char*>(data), size);
  mxe::test::reads([&] {
    const Workload workload = parse_onnx_answer(answer);
    require(!workload.layers.empty());
    for (const Layer& layer : workload.layers) {
      for (const uint64_t one : {layer.m, layer.n, layer.k, layer.count}) {
        require(one >= 1 && one <= kMostElements);
      }
    }
  });
  return 0;
}
