// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/platform/device/device.h"
#include "model/platform/device/engine_setup.h"
#include "model/platform/device/target.h"

namespace mxe::device {

/// Results of several engines that started one job each in the same cycle.
struct TeamResult {
  struct Member {
    DeviceResult result;
    // Cycles by which the other engines delayed this engine's bursts.
    uint64_t reads_waited = 0, writes_waited = 0;
  };
  std::vector<Member> members;
  double wall_seconds = 0;  ///< wall-clock time of the simulation

  /// The most cycles of any engine.
  uint64_t cycles() const;
};

/// Engines of one kind on one memory (Interconnect), each with its driver and part of the memory.
class Team {
 public:
  enum class Common : uint8_t { nothing, a, b };

  /// `setup.timing` applies to all engines together. The common operand has one place in memory,
  /// and its reads are multicast; run() throws Error if it differs between jobs. Throws Error for a
  /// half-duplex memory.
  Team(Target target, const EngineSetup& setup, unsigned engines, Common common = Common::nothing);
  ~Team();

  TeamResult run(const std::vector<job::Job>& jobs);
  TeamResult run(const std::vector<job::JobShape>& shapes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mxe::device
