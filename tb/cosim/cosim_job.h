// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "tb/cosim/engine_features.h"
#include "tb/cosim/spoil.h"

namespace mxe::cosim {

/// Amounts that a job must add to the counters that do not depend on timing.
struct JobCounts {
  uint64_t blocks = 0, nan_results = 0, saturations = 0, bytes_written = 0;

  JobCounts& operator+=(const JobCounts& other);
};

inline constexpr uint64_t kRecordBytes = 16;

struct JobResult {
  job::StoredOutput stored;
  JobCounts counts;
};

struct CosimJob : job::Job {
  std::vector<Spoil> spoils;  ///< rules that its descriptor breaks
  Claims claims;              ///< sizes written to the descriptor instead of the true ones
  bool in_turn = false;       ///< CONTROL.early is cleared, though the driver would set it
  std::string values;         ///< kind of its values, for messages

  std::string describe() const;
  /// Status with which an engine must refuse the job (docs/registers.md), or MXE_STATUS_OK.
  uint32_t refused_with(const EngineFeatures& engine) const;
  /// Returns the result on an engine with or without FP4_DUAL.
  JobResult expected(bool fp4_dual) const;
};

}  // namespace mxe::cosim
