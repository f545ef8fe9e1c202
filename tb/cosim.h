#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mxe_driver.h"
#include "platform/platform.h"
#include "tb/job.h"
#include "tb/rtl_engine.h"
#include "tb/scoreboard.h"

namespace mxe {

struct CoSimOptions {
  Params params = Params::named("small");
  MemoryTiming timing;
  RtlOptions rtl;
  bool run_model = true, run_rtl = true;
  unsigned ring_entries = 8;
  bool poll = false;  ///< the driver polls instead of waiting for interrupts
  /// Allowed difference between model and RTL of a job's cycles, relative to the RTL's. With 0 the
  /// cycle in which software sees each job done and all counters must agree too. Negative: do not
  /// compare times. Random back-pressure, which the model does not have, calls for that.
  double cycle_tolerance = 0;
};

/// Cycles of one job on each engine that ran, 0 if it did not.
struct JobCycles {
  std::string job;
  uint64_t model = 0, rtl = 0;
};

/// Model and RTL side by side in one SystemC simulation: the same jobs through the same driver,
/// each with a memory of its own and the same timing, every byte compared with the golden GEMM, and
/// the two with each other. One per process, because SystemC elaborates once.
class CoSim {
 public:
  explicit CoSim(const CoSimOptions& options);
  ~CoSim();

  /// Runs `jobs` back to back, at most ring_entries in flight. What goes wrong is added to
  /// mismatches(), an end of the simulation (an assertion of the RTL, a protocol breach, a hang)
  /// too; after that, run() does nothing.
  void run(const std::vector<Job>& jobs);

  const std::vector<Mismatch>& mismatches() const { return scoreboard_.mismatches(); }
  /// Of every job so far.
  const std::vector<JobCycles>& cycles() const { return cycles_; }
  /// Difference of model and RTL relative to the RTL, over all jobs so far.
  double max_cycle_error() const;
  double mean_cycle_error() const;
  /// Clock cycles that the RTL simulated.
  uint64_t rtl_cycles() const;
  /// For tests that do more than jobs. Null if that engine does not run.
  Platform* model() { return model_ ? model_->platform.get() : nullptr; }
  Platform* rtl() { return rtl_ ? rtl_->platform.get() : nullptr; }

 private:
  /// One engine under test and its driver.
  struct Device {
    std::string name;
    std::unique_ptr<Platform> platform;
    mxe_device driver{};
    bool probed = false;
    std::vector<JobOutcome> outcomes;
    struct mxe_counters counters {};
  };

  std::unique_ptr<Device> make_device(const char* name, const Platform::EngineFactory& factory);
  void run_on(Device& device, Host& host, const std::vector<JobImage>& images);
  void probe(Device& device, Host& host);
  void check(const std::vector<Job>& jobs, const std::vector<JobImage>& images);
  void compare_times(std::size_t i);
  void check_counters();
  void compare_counters();

  CoSimOptions options_;
  Scoreboard scoreboard_;
  JobCounts counts_;  // that all jobs so far must have added up to
  std::vector<JobCycles> cycles_;
  std::unique_ptr<Device> model_, rtl_;
  bool broken_ = false;
};

}  // namespace mxe
