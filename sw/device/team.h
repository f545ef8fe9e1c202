// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "sw/device/device.h"
#include "sw/device/engine_setup.h"
#include "sw/device/target.h"

namespace mxe {

/// The dimension of D along which engines share a product.
enum class SplitAxis : uint8_t { m, n };

/// "m" or "n".
const char* split_name(SplitAxis axis);
/// The inverse; throws mx::Error with the allowed names.
SplitAxis parse_split(const std::string& name);

/// The product in as many parts as there are engines, of about the same size: rows, or tiles of
/// columns (of blocks, where the results have scales). Throws mx::Error if there are too few.
std::vector<JobShape> split_job(const JobShape& shape, SplitAxis axis, unsigned engines,
                                const Params& params);

/// What several engines did with a job each, all of which began in the same cycle.
struct TeamResult {
  struct Member {
    DeviceResult result;
    // Cycles that bursts of its own were served later because of the others.
    uint64_t reads_waited = 0, writes_waited = 0;
  };
  std::vector<Member> members;
  double wall_seconds = 0;  ///< of simulating them

  /// Until the last engine had done its job.
  uint64_t cycles() const;
};

/// Engines of one kind at one memory, whose bandwidth they share (Interconnect), each with a driver
/// and a part of the memory of its own. See Device.
class Team {
 public:
  /// What the engines have in common.
  enum class Common : uint8_t { nothing, a, b };

  /// `setup.timing` is of all engines together. An operand that is `common` is that of the first
  /// job for all; it lies in memory once, and reads of it are multicast.
  Team(Target target, const EngineSetup& setup, unsigned engines, Common common = Common::nothing);
  ~Team();

  /// Runs a job on each engine. See Device::run.
  TeamResult run(const std::vector<Job>& jobs);
  TeamResult run(const std::vector<JobShape>& shapes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mxe
