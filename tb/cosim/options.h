// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/engine/arithmetic/block_watcher.h"
#include "model/platform/memory.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_driver.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/engine_features.h"
#include "tb/cosim/job_image.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

/// Observes the RTL in a co-simulation. Jobs and batches are passed on only before the first
/// mismatch.
class CoSimObserver : public rtl::RtlObserver {
 public:
  /// A job ended in an allowed way, with or without success.
  virtual void job_compared(const CosimJob& job, const JobImage& image, const Expectation& expected,
                            const JobOutcome& outcome) = 0;
  /// All jobs of a batch ended. `counters`: their counts; `read`: values of the registers.
  virtual void batch_compared(const struct mxe_counters& counters,
                              const struct mxe_counters& read) = 0;
};

struct CoSimOptions {
  Params params = Params::named("small");
  engine::MemoryTiming timing;
  std::optional<dram::Setup> dram;  ///< replaces `timing`
  rtl::RtlOptions rtl;
  /// Bus address of the first byte of both memories, see kMemoryBaseUnit.
  uint64_t memory_base = platform::Memory::Config{}.base;
  bool run_model = true, run_rtl = true;
  bool structural = false;  ///< the model computes block by block, not by the golden GEMM
  /// For an RTL with fewer features than `params` admit; it must refuse jobs that need more.
  std::optional<EngineFeatures> rtl_features;
  unsigned ring_entries = 8;
  bool poll = false;  ///< the driver polls instead of waiting for interrupts
  /// Allowed difference of a job's cycles on model and RTL, relative to the RTL. 0: counters and
  /// the cycle in which software sees the end must be equal, too. Negative: times are not compared,
  /// as random back-pressure requires, which the model lacks.
  double cycle_tolerance = 0;
  /// Simulated time without progress after which a job counts as hanging.
  uint32_t timeout_us = 100'000;
  CoSimObserver* observer = nullptr;        ///< must outlive the co-simulation
  engine::BlockWatcher* watcher = nullptr;  ///< of the model; must outlive the co-simulation

  bool times_agree() const { return cycle_tolerance == 0; }
};

inline constexpr uint64_t kCoSimMemoryBytes = uint64_t{1} << 33;
/// The memories begin at a multiple of kMemoryBaseUnit, at most at kLargestMemoryBase.
inline constexpr uint64_t kMemoryBaseUnit = 4096;
inline constexpr uint64_t kLargestMemoryBase = ~uint64_t{0} - kCoSimMemoryBytes + 1;

}  // namespace mxe::cosim
