// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a checkpoint gives an error of one line, or layers with a code for each
// element.
#include <cstdlib>

#include "model/numerics/quantize/axis_view.h"
#include "sw/checkpoints/checkpoint.h"

static void check(const mxe::checkpoints::Layer& layer) {
  using mxe::numerics::element_count;
  if (layer.parts.codes.size() > element_count(layer.parts.shape)) std::abort();
  if (layer.parts.scale_codes.size() != element_count(layer.parts.scale_shape)) std::abort();
  if (layer.bias.size() != (layer.bias_shape.empty() ? 0 : element_count(layer.bias_shape))) {
    std::abort();
  }
}

static bool is_one_line(const mxe::Error& error) {
  return std::string(error.what()).find('\n') == std::string::npos;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    const mxe::checkpoints::Checkpoint file({data, data + size}, "fuzz",
                                            {"", "fp6_e2m3", {{"a*?b", "fp6_e3m2"}}});
    for (const mxe::checkpoints::FoundLayer& layer : file.layers()) {
      for (const bool one : {false, true}) {
        try {
          check(file.read(layer, one ? std::optional<std::size_t>(1) : std::nullopt));
        } catch (const mxe::Error& error) {
          if (!is_one_line(error)) std::abort();
        }
      }
    }
  } catch (const mxe::Error& error) {
    if (!is_one_line(error)) std::abort();
  }
  return 0;
}
