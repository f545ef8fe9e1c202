// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: config.json, a zero byte, and weights give one line of error or legal products.
#include <string>

#include "model/numerics/files/safetensors.h"
#include "sw/explore/llama.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  using mxe::test::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(size, text.find('\0'));
  const std::string rest = end < size ? text.substr(end + 1) : "";
  mxe::test::reads([&] { llama_shards(rest, "model.safetensors.index.json"); });
  mxe::test::reads([&] {
    const LlamaConfig config = parse_llama_config(text.substr(0, end), "config.json");
    for (const bool prompt : {true, false}) {
      RunSize run;
      if (prompt) run.sequence = 512;
      if (!prompt) run.batch = run.context = 16;
      mxe::test::reads([&] {
        for (const Layer& layer : llama_workload(config, run, "config.json").layers) {
          for (const uint64_t one : {layer.m, layer.n, layer.k, layer.count}) {
            require(one >= 1 && one <= kMostElements);
          }
        }
      });
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(rest.data());
    check_llama_tensors(config,
                        mxe::numerics::safetensors_shapes(bytes, rest.size(), "model.safetensors"),
                        "model.safetensors");
  });
  return 0;
}
