// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: config.json, a zero byte, and weights give one line of error or legal products.
#include <string>

#include "model/numerics/files/safetensors.h"
#include "sw/explore/model_config.h"
#include "sw/explore/model_folder.h"
#include "tests/unit/explore/fuzz/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace mxe::explore;
  using mxe::test::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(size, text.find('\0'));
  const std::string rest = end < size ? text.substr(end + 1) : "";
  mxe::test::reads([&] { model_shards(rest, "model.safetensors.index.json"); });
  mxe::test::reads([&] {
    const LanguageModel model = parse_model_config(text.substr(0, end), "config.json");
    for (const bool prompt : {true, false}) {
      RunSize run;
      if (prompt) run.sequence = 512;
      if (!prompt) run.batch = run.context = 16;
      if (prompt && model.expert_layers() != 0) run.routing = "zipf:1.1";
      mxe::test::reads([&] {
        for (const Layer& layer : language_workload(model, run, "config.json").layers) {
          for (const uint64_t one : {layer.m, layer.n, layer.k, layer.count}) {
            require(one >= 1 && one <= kMostElements);
          }
        }
      });
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(rest.data());
    check_model_tensors(model,
                        mxe::numerics::safetensors_shapes(bytes, rest.size(), "model.safetensors"),
                        "model.safetensors");
  });
  return 0;
}
