// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/platform/driver_port.h"
#include "model/platform/platform.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_driver.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/driver_tap.h"
#include "tb/cosim/engine_features.h"
#include "tb/cosim/job_image.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

/// Observes what the RTL did in a co-simulation, once that has been compared.
class CoSimObserver : public rtl::RtlObserver {
 public:
  /// A job ended in a way that is allowed, with or without success.
  virtual void job_compared(const CosimJob& job, const JobImage& image, const Expectation& expected,
                            const JobOutcome& outcome) = 0;
  /// All jobs of a batch ended. Passes on what they counted, and what the counters read then.
  virtual void batch_compared(const struct mxe_counters& counters,
                              const struct mxe_counters& read) = 0;
};

struct CoSimOptions {
  Params params = Params::named("small");
  engine::MemoryTiming timing;
  rtl::RtlOptions rtl;
  /// Bus address of the first byte of both memories, see kMemoryBaseUnit.
  uint64_t memory_base = platform::Memory::Config{}.base;
  bool run_model = true, run_rtl = true;
  bool structural = false;  ///< the model computes block by block, not by the golden GEMM
  /// For an RTL that can do less than `params` admit, or that `params` alone do not describe. The
  /// RTL must refuse a job that needs more; the model runs it.
  std::optional<EngineFeatures> rtl_features;
  unsigned ring_entries = 8;
  bool poll = false;  ///< the driver polls instead of waiting for interrupts
  /// Allowed difference between model and RTL of a job's cycles, relative to the RTL's. With 0 the
  /// cycle in which software sees each job done and all counters must agree too. Negative: do not
  /// compare times, as is needed with random back-pressure, which the model does not have.
  double cycle_tolerance = 0;
  /// Simulated time without progress after which a job counts as hanging.
  uint32_t timeout_us = 100'000;
  CoSimObserver* observer = nullptr;  ///< must outlive the co-simulation
};

/// The bus answers every access to this byte with an error.
struct BusFault {
  std::size_t job = 0;  ///< of the batch
  /// See JobImage::byte_of; or "descriptor", or "record": its write alone fails. Jobs that use the
  /// same entry of the ring, which is every ring_entries-th, meet these two as well.
  std::string part = "A";
  uint64_t row = 0, byte = 0;

  bool is_in_ring() const { return part == "descriptor" || part == "record"; }
};

/// Bytes of each memory.
inline constexpr uint64_t kCoSimMemoryBytes = uint64_t{1} << 33;
/// Where they may begin: at a multiple of this, and no higher than this.
inline constexpr uint64_t kMemoryBaseUnit = 4096;
inline constexpr uint64_t kLargestMemoryBase = ~uint64_t{0} - kCoSimMemoryBytes + 1;

/// What happens besides the jobs of a batch, which are submitted back to back.
struct BatchEvents {
  // Before the jobs, while the engine is idle:
  /// Number of descriptors without any work, which the engine refuses.
  uint32_t empty_jobs = 0;
  /// The RTL runs jobs that do not end, because m, n or k is a power of two from 2^20 to 2^31, or
  /// one step of the loop nest more: each is broken off by a reset after so many cycles, and by
  /// then as much must be done as of any other. 0: none. The model, which may take the data of a
  /// job as a whole, runs short ones.
  uint32_t endless_jobs = 0;
  /// Number from about which the jobs' ids count; 0: they go on from the last job's id.
  uint32_t first_job = 0;
  /// How far below 2^32 all counters begin, so that they go beyond it; 0: they begin at 0. Only on
  /// engines that let them be set.
  uint32_t counters_below = 0;
  /// Seed of 64-bit numbers that the counters begin at instead, on such engines; 0: none.
  uint64_t counters_anywhere = 0;
  /// Seed of writes and reads of all registers, 0 for none.
  uint64_t register_writes = 0;
  /// Seed of doorbells that the engine must refuse, 0 for none.
  uint64_t ring_overflow = 0;
  // With the first jobs, as many as the ring takes:
  /// Whether one doorbell submits them, instead of one each.
  bool one_doorbell = false;
  /// Seed of doorbells, in all directions, that the engine must refuse while they wait or run;
  /// 0: none.
  uint64_t doorbells = 0;
  /// Cycles for which the engine that they are submitted to is disabled; 0: it is enabled.
  uint64_t disabled_for = 0;
  /// Cycles until the engine is disabled for a while; 0: it is not.
  uint64_t pause_after = 0;
  /// Whether all interrupts are masked until they have ended.
  bool masked = false;
  /// Seed of register accesses while the jobs run, 0 for none. What they read is checked, and
  /// compared between the engines as far as times are.
  uint64_t traffic = 0;
  /// Cycles from the first doorbell to a reset, after which all jobs are run once more; 0 for none.
  uint64_t reset_after = 0;
  std::vector<BusFault> faults;
};

/// Jobs, and what happens besides.
struct Batch : BatchEvents {
  std::vector<CosimJob> jobs;

  /// Whether jobs are broken off.
  bool is_disturbed() const { return reset_after != 0 || endless_jobs != 0 || !faults.empty(); }
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

  /// Runs the jobs back to back, at most ring_entries in flight. Adds what goes wrong to
  /// mismatches(), also what ends the simulation (an assertion of the RTL, a breach of the
  /// protocol, a hang); after such an end, run() does nothing.
  void run(const Batch& batch);
  void run(const std::vector<CosimJob>& jobs) { run(Batch{{}, jobs}); }

  const std::vector<Mismatch>& mismatches() const { return scoreboard_.mismatches(); }
  /// Cycles of every job of every batch that was not disturbed.
  const std::vector<JobCycles>& cycles() const { return cycles_; }
  /// Difference of model and RTL relative to the RTL, over all jobs so far.
  double max_cycle_error() const;
  double mean_cycle_error() const;
  std::size_t jobs() const { return jobs_; }
  /// Counters of the model and of the RTL after the last run(); null if that engine does not run.
  const struct mxe_counters* model_counters() const { return model_ ? &model_->counters : nullptr; }
  const struct mxe_counters* rtl_counters() const { return rtl_ ? &rtl_->counters : nullptr; }
  /// Clock cycles that the RTL simulated.
  uint64_t rtl_cycles() const;
  /// For tests that do more than jobs. Null if that engine does not run.
  platform::Platform* model() { return model_ ? model_->platform.get() : nullptr; }
  platform::Platform* rtl() { return rtl_ ? rtl_->platform.get() : nullptr; }

 private:
  /// One engine under test and its driver.
  struct Device {
    std::string name;
    EngineFeatures features;
    std::unique_ptr<platform::Platform> platform;
    DriverTap tap;
    mxe_device driver{};
    std::optional<platform::DriverRing> ring;  // after the first batch
    std::vector<JobOutcome> outcomes;
    std::vector<JobOutcome> before_reset;
    uint32_t last_job = 0, last_status = 0;  // registers, after the batch
    std::vector<uint64_t> faulty_bytes;      // addresses that the bus refuses in the batch
    struct mxe_counters counters {
    }, counters_read{};                  // of the batch; as the registers read
    std::vector<uint64_t> first_counts;  // what the counters held when the batch began
    JobCounts expected;                  // what the jobs of the batch must have counted
    std::vector<std::string> traffic;    // what the register accesses saw, and when
  };

  std::unique_ptr<Device> make_device(const char* name, const EngineFeatures& features,
                                      const platform::Platform::EngineFactory& factory);
  /// The state of every FSM, for the message of a simulation that ended early.
  std::string rtl_states() const;
  std::vector<JobImage> place(const Batch& batch);
  void run_on(Device& device, platform::Host& host, const Batch& batch,
              const std::vector<JobImage>& images);
  void open(Device& device, platform::Host& host);
  void run_into_reset(Device& device, platform::Host& host, const Batch& batch,
                      const std::vector<JobImage>& images);
  uint32_t submit(Device& device, platform::Host& host, const CosimJob& job, const JobImage& image);
  void run_jobs(Device& device, platform::Host& host, const Batch& batch,
                const std::vector<JobImage>& images);
  void finish(Device& device, JobOutcome& outcome, uint32_t id, uint64_t start);
  void set_counters(Device& device, const BatchEvents& events);
  void run_empty_jobs(Device& device, platform::Host& host, uint32_t count);
  void run_endless_jobs(Device& device, platform::Host& host, uint32_t cycles);
  std::string break_off(Device& device, platform::Host& host, const mxe_job& job, uint32_t cycles);
  void add_faults(Device& device, platform::Host& host, const Batch& batch,
                  const std::vector<JobImage>& images);
  void check(const Batch& batch, const std::vector<JobImage>& images);
  void check_faults(const Batch& batch, const Device& device);
  void compare_faults();
  void compare_before_reset();
  void check_last_job(const Batch& batch, const Device& device);
  bool meets(const Batch& batch, std::size_t job, const char* part_of_ring) const;
  void check_job(const Batch& batch, std::size_t i, const JobImage& image);
  void check_outcomes(const Batch& batch, std::size_t i, const JobImage& image,
                      Expectation expected, Device& device);
  bool only_one_runs(const CosimJob& job) const;
  bool times_agree() const { return options_.cycle_tolerance == 0; }
  /// Engines of other times break jobs off at another point. Of endless jobs the model gets small
  /// ones instead.
  bool has_comparable_times(const Batch& batch) const {
    return batch.endless_jobs == 0 && (times_agree() || !batch.is_disturbed());
  }
  void compare_times(std::size_t i);
  void compare_traffic();
  void check_sum(const Device& device);
  void check_counters();
  /// Which counters of the model are exact: all, all but bytes transferred, or those that are at
  /// any time.
  enum class Exact : uint8_t { between_jobs, after_reset, at_any_time };
  static Exact exact_counters(const Batch& batch);
  void compare_counters(Exact exact);

  CoSimOptions options_;
  Scoreboard scoreboard_;
  std::vector<JobCycles> cycles_;
  std::unique_ptr<Device> model_, rtl_;
  std::size_t jobs_ = 0;  // of all batches so far
  bool broken_ = false;
  bool counters_can_be_set_ = true;
};

}  // namespace mxe::cosim
