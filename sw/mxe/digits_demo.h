// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/platform/device/target.h"
#include "sw/mxe/digits.h"
#include "sw/mxe/engine_choice.h"

namespace mxe::cli {

struct Variant {
  numerics::FormatId activations, weights;

  std::string name() const;
};

/// The reference's logits of the classifier, with one variant per layer. `dual`: pairs of 4-bit
/// formats are summed as at the engine's dual rate.
std::vector<float> quantized_logits(const Digits& digits, const std::vector<Variant>& layers,
                                    bool dual);

/// Cycles and differences of one device for one variant.
struct DeviceRun {
  device::Target target;
  uint64_t cycles = 0;                   ///< of all layers
  std::vector<std::string> differences;  ///< from golden, one line each; empty: all bits agree
};

struct VariantResult {
  Variant variant;
  std::size_t correct = 0;  ///< images that golden classifies correctly
  double sqnr_db = 0;       ///< of golden's logits, relative to float32 logits
  double macs = 0;          ///< multiply-accumulates of all layers
  double peak_macs = 0;     ///< largest number per cycle of the engine
  std::vector<DeviceRun> runs;

  bool agreed() const;
  double utilization() const;  ///< of the last device
};

struct DemoResult {
  Params params;
  std::vector<device::Target> devices;
  std::string network;  ///< "64 -> 100 -> 10"
  std::size_t images = 0;
  std::size_t correct = 0;  ///< with float32 on the host
  std::vector<VariantResult> variants;
  double seconds = 0;

  bool agreed() const;
};

/// Runs the classifier of `digits` in several formats. The host quantizes each layer and applies
/// ReLU; the reference and every device of this build multiply.
DemoResult run_digits_demo(const Digits& digits, const device::EngineSetup& setup);

}  // namespace mxe::cli
