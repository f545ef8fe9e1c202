// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/platform/device/engine_setup.h"
#include "model/platform/device/target.h"
#include "sw/digits/network.h"
#include "sw/digits/quantized.h"

namespace mxe::digits {

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

/// Receives one line about the current step, or an empty line.
using Progress = std::function<void(const std::string&)>;

/// Runs the classifier of `digits` in several formats. The host quantizes each layer and applies
/// ReLU; the reference and every device of this build multiply.
DemoResult run_digits_demo(const Digits& digits, const device::EngineSetup& setup,
                           const Progress& progress);

}  // namespace mxe::digits
