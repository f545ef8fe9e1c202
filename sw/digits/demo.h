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

struct DeviceRun {
  device::Target target;
  uint64_t cycles = 0;
  std::vector<std::string> differences;  ///< a line for each layer that differs from golden
};

struct VariantResult {
  Variant variant;
  std::size_t correct = 0;  ///< of golden
  double sqnr_db = 0;       ///< of golden's logits against float32
  double macs = 0;
  double peak_macs = 0;  ///< most per cycle of the engine
  std::vector<DeviceRun> runs;

  bool agreed() const;
  double utilization() const;
};

struct DemoResult {
  Params params;
  std::vector<device::Target> devices;
  std::string network;  ///< "64 -> 100 -> 10"
  std::size_t images = 0;
  std::size_t correct = 0;  ///< with float32
  std::vector<VariantResult> variants;
  double seconds = 0;

  bool agreed() const;
};

/// Receives a line about the current step, or an empty line.
using Progress = std::function<void(const std::string&)>;

/// Runs the classifier in several formats on the reference and on every device of this build. The
/// host quantizes the layers and applies ReLU.
DemoResult run_digits_demo(const Digits& digits, const device::EngineSetup& setup,
                           const Progress& progress);

}  // namespace mxe::digits
