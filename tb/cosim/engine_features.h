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

/// Features that decide which jobs an engine runs; it must refuse all others. Default: all that
/// `params` admit. Your own engine's description lists them (docs/bring-your-own-rtl.md).
struct EngineFeatures {
  EngineFeatures(const Params& p = {}) : params(p) {}  // NOLINT: parameters are features

  std::string name = "mxe";
  Params params;
  std::vector<numerics::FormatId> formats_a{numerics::kAllFormats.begin(),
                                            numerics::kAllFormats.end()};
  std::vector<numerics::FormatId> formats_b = formats_a;
  std::vector<job::OutputFormat> results =
      job::all_output_formats();  ///< with any scale rule and overflow
  bool bias_fp32 = true, bias_bf16 = true;
  bool batches = true;
  bool long_blocks = true;  ///< E8M0 scales of blocks of 64 and 128
  /// The engine has the counters. Their sum and those that do not depend on timing are checked.
  bool counters = true;
  bool faults = true;
  /// A job that has not completed after this number of cycles counts as hanging.
  uint32_t timeout_cycles = 2'000'000;
  /// Largest m * n * ceil(k / 32) of a random job, for engines that take long; 0 for no limit.
  unsigned largest_job = 0;

  /// Signals below the top that a recording shows in addition to the pins, as GTKWave names them.
  std::vector<std::string> waves;

  bool has_pair(numerics::FormatId a, numerics::FormatId b) const;
  bool has_result(const job::OutputFormat& output) const;
  /// CONTROL may select this bias.
  bool has_bias(bool bias, bool bf16) const { return bf16 ? bias_bf16 : bias_fp32 || !bias; }
  /// Returns the first difference from the capability registers as one line, or "".
  std::string contradiction(const mxe_capabilities& registers) const;
};

}  // namespace mxe::cosim
