// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/output.h"
#include "model/numerics/formats/format.h"
#include "model/params/params.h"
#include "mxe_driver.h"

namespace mxe::cosim {

/// What an engine can do, as far as whoever gives it jobs has to know. The features of a
/// configuration are all that its parameters admit; an engine of your own may do less, and says so
/// (docs/bring-your-own-rtl.md). The engine must refuse a job that needs more.
struct EngineFeatures {
  EngineFeatures(const Params& p = {}) : params(p) {}  // NOLINT: parameters are features

  std::string name = "mxe";
  Params params;
  std::vector<numerics::FormatId> formats_a{numerics::kAllFormats.begin(),
                                            numerics::kAllFormats.end()};
  std::vector<numerics::FormatId> formats_b = formats_a;
  std::vector<job::OutputFormat> results =
      job::all_output_formats();  ///< rule and overflow do not matter
  bool bias_fp32 = true, bias_bf16 = true;
  bool batches = true;  ///< a job may have several products
  /// The counters are kept: their sum and those that data decide are compared.
  bool counters = true;
  /// FAULT_ADDR and FAULT_INFO tell of bus errors.
  bool faults = true;
  /// Clocks after which a job that has not completed counts as hanging.
  uint32_t timeout_cycles = 2'000'000;
  /// Largest m * n * ceil(k / 32) of a random job, for engines that take long; 0 for no limit.
  unsigned largest_job = 0;

  /// Signals below the top that a recording shows besides the pins, as GTKWave names them.
  std::vector<std::string> waves;

  bool has_pair(numerics::FormatId a, numerics::FormatId b) const;
  bool has_result(const job::OutputFormat& output) const;
  /// Whether CONTROL may say so.
  bool has_bias(bool bias, bool bf16) const { return bf16 ? bias_bf16 : bias_fp32 || !bias; }
  /// What the capability registers say otherwise, one line; empty if they agree.
  std::string contradiction(const mxe_capabilities& registers) const;
};

}  // namespace mxe::cosim
