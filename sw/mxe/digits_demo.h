// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "sw/device/target.h"
#include "sw/mxe/digits.h"
#include "sw/mxe/engine_choice.h"

namespace mxe::cli {

/// One way to quantize the classifier.
struct Variant {
  mx::FormatId activations, weights;

  std::string name() const;
};

/// The logits of the classifier by the reference, each layer quantized its own way. `dual`: pairs
/// of 4-bit formats are summed as at the engine's dual rate.
std::vector<float> quantized_logits(const Digits& digits, const std::vector<Variant>& layers,
                                    bool dual);

/// What one device did with one variant.
struct DeviceRun {
  Target target;
  uint64_t cycles = 0;                   ///< of all layers
  std::vector<std::string> differences;  ///< from golden, a line each; empty: every bit agrees
};

struct VariantResult {
  Variant variant;
  std::size_t correct = 0;  ///< images that golden classifies right
  double sqnr_db = 0;       ///< of golden's logits, against float32 ones
  double macs = 0;          ///< multiply-accumulates of all layers
  double peak_macs = 0;     ///< that the engine does in a cycle at best
  std::vector<DeviceRun> runs;

  bool agreed() const;
  double utilization() const;  ///< on the last of the devices
};

struct DemoResult {
  Params params;
  std::vector<Target> devices;
  std::string network;  ///< "64 -> 100 -> 10"
  std::size_t images = 0;
  std::size_t correct = 0;  ///< in float32 on the host
  std::vector<VariantResult> variants;
  double seconds = 0;

  bool agreed() const;
};

/// Runs the classifier of `digits` in several formats, layer by layer: quantized on the host,
/// multiplied on the reference and on every device of this build, with relu on the host in between.
DemoResult run_digits_demo(const Digits& digits, const EngineSetup& setup);

}  // namespace mxe::cli
