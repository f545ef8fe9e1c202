// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a format map gives an error of one line, or is applied quickly.
#include <string>

#include "sw/explore/workload.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  const std::string text(reinterpret_cast<const char*>(data), size);
  mxe::test::reads([&] {
    const std::vector<LayerFormats> map = parse_format_map(text, "map.yaml");
    Workload workload;
    for (const char* name : {"attn_scores", "layer1.0.conv2", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
      workload.layers.emplace_back().name = name;
    }
    apply(map, workload);
  });
  return 0;
}
