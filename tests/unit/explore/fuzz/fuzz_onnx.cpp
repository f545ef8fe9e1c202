// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a model is told in one line, or it has products of legal sizes.
#include <string>

#include "sw/explore/evaluate.h"
#include "sw/explore/onnx_model.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  using mxe::fuzz::require;
  RunSize run;
  run.batch = 2;
  run.sequence = 3;
  run.context = 7;
  mxe::fuzz::reads([&] {
    // Sizes that no dimension asks for are an error, so they are given only to models with names.
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const bool open = bytes.find("batch") != std::string::npos;
    const Workload workload = parse_onnx(data, size, open ? run : RunSize{}, "net.onnx");
    require(!workload.layers.empty());
    for (const Layer& layer : workload.layers) {
      for (const uint64_t one : {layer.m, layer.n, layer.k, layer.count}) {
        require(one >= 1 && one <= kMostElements);
      }
    }
    to_record(workload, Point(), std::vector<JobTimes>(workload.layers.size())).dump();
  });
  return 0;
}
