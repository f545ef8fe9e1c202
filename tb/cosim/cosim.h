// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/platform/platform.h"
#include "mxe_driver.h"
#include "tb/cosim/batch.h"
#include "tb/cosim/batch_run.h"
#include "tb/cosim/device.h"
#include "tb/cosim/judge.h"
#include "tb/cosim/options.h"

namespace mxe::cosim {

/// Model and RTL in one SystemC simulation, with the same jobs, drivers and memories. Compares
/// every byte of a job's memory with the golden GEMM, and model with RTL. One per process, because
/// SystemC elaborates once.
class CoSim {
 public:
  explicit CoSim(const CoSimOptions& options);
  CoSim(const CoSim&) = delete;
  CoSim& operator=(const CoSim&) = delete;

  /// Runs the jobs back to back, at most ring_entries in flight. Adds errors to mismatches(). Does
  /// nothing after an error that ended the simulation: an RTL assertion, a protocol breach, a hang.
  void run(const Batch& batch);
  void run(const std::vector<CosimJob>& jobs);

  const std::vector<Mismatch>& mismatches() const { return judge_.mismatches(); }
  /// Cycles of every job that must take equal cycles on model and RTL, see Judge.
  const std::vector<JobCycles>& cycles() const { return judge_.cycles(); }
  /// Cycles of the jobs with an abort, also of those before a reset.
  const std::vector<JobCycles>& aborts() const { return judge_.aborts(); }
  /// Difference of model and RTL relative to the RTL, over the jobs of cycles().
  double max_cycle_error() const;
  double mean_cycle_error() const;
  std::size_t jobs() const { return judge_.jobs(); }
  /// Counters of each engine after the last run(); null if it does not run.
  const struct mxe_counters* model_counters() const { return model_.counters(); }
  const struct mxe_counters* rtl_counters() const { return rtl_.counters(); }
  uint64_t rtl_cycles() const;
  platform::Platform* model() { return model_.platform(); }
  platform::Platform* rtl() { return rtl_.platform(); }

 private:
  struct Side {
    std::unique_ptr<Device> device;
    BatchResult result;

    platform::Platform* platform() const { return device ? &device->platform() : nullptr; }
    const BatchResult* ran() const { return device ? &result : nullptr; }
    const struct mxe_counters* counters() const { return device ? &result.counters : nullptr; }
  };

  platform::MemoryCalls memory_calls() const;
  std::unique_ptr<Device> make_device(const char* name, const EngineFeatures& features,
                                      const platform::Platform::EngineFactory& factory) const;
  rtl::RtlEngine* rtl_engine() const;
  std::vector<JobImage> place(const Batch& batch) const;
  bool run_engines(const Batch& batch, const std::vector<JobImage>& images);

  CoSimOptions options_;
  Judge judge_{options_};
  Side model_, rtl_;
  bool broken_ = false;
};

}  // namespace mxe::cosim
