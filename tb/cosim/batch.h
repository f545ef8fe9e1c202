// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tb/cosim/cosim_job.h"
#include "tb/cosim/fields.h"

namespace mxe::cosim {

class BatchRun;

// Disturbances: each has fields, which default to none, and, except OneDoorbell, apply(), in a file
// of disturbances/.

/// A reset while the first jobs (at most the size of the ring) run. Then all jobs of the batch run.
struct Reset {
  uint64_t reset_after = 0;  ///< cycles from their last doorbell to the reset; 0: none

  static constexpr auto fields() { return std::tuple{field("reset_after", &Reset::reset_after)}; }
  void apply(BatchRun& run) const;
};

/// Jobs before those of the batch, in which one of m, n and k is 2^20, 2^21, ..., 2^31, or the
/// number of products 2^12, ..., 2^15, or one step of the loop nest more; all others are 1. They
/// would take too long, so a reset aborts each of them. All of one format that vary the same size
/// must have made the same progress. Only the RTL runs them; the model, which may compute a job as
/// a whole, runs 1 x 1 x 1.
struct EndlessJobs {
  /// Cycles from each doorbell until the progress is read, before the reset; 0: none.
  uint32_t endless_jobs = 0;

  static constexpr auto fields() {
    return std::tuple{field("endless_jobs", &EndlessJobs::endless_jobs)};
  }
  void apply(BatchRun& run) const;
};

/// Descriptors with m = n = k = 0, before the jobs. The engine must refuse them.
struct EmptyJobs {
  uint32_t empty_jobs = 0;

  static constexpr auto fields() { return std::tuple{field("empty_jobs", &EmptyJobs::empty_jobs)}; }
  void apply(BatchRun& run) const;
};

struct FirstJobId {
  uint32_t first_job = 0;  ///< the driver's next id; 0: the ids continue

  static constexpr auto fields() { return std::tuple{field("first_job", &FirstJobId::first_job)}; }
  void apply(BatchRun& run) const;
};

/// Doorbells that an idle engine must refuse: for too many jobs, and with RING_SIZE_LOG2 too large.
struct RingOverflow {
  uint64_t ring_overflow = 0;  ///< seed; 0: none

  static constexpr auto fields() {
    return std::tuple{field("ring_overflow", &RingOverflow::ring_overflow)};
  }
  void apply(BatchRun& run) const;
};

/// One doorbell submits the first jobs (see Reset), instead of one doorbell each.
struct OneDoorbell {
  bool one_doorbell = false;

  static constexpr auto fields() {
    return std::tuple{field("one_doorbell", &OneDoorbell::one_doorbell)};
  }
};

/// Doorbells while jobs wait or run that must not move the tail: back by up to a ring, forward by
/// more than the ring has, or equal to the tail. The engine refuses the first two kinds.
struct RefusedDoorbells {
  uint64_t doorbells = 0;  ///< seed; 0: none

  static constexpr auto fields() {
    return std::tuple{field("doorbells", &RefusedDoorbells::doorbells)};
  }
  void apply(BatchRun& run) const;
};

/// Start values of the counters, on engines whose counters can be set. `total` begins at the sum of
/// its parts.
struct CounterStart {
  uint32_t counters_below = 0;     ///< the others begin at 2^32 minus this; 0: at 0
  uint64_t counters_anywhere = 0;  ///< seed of 64-bit numbers instead; 0: none

  static constexpr auto fields() {
    return std::make_tuple(field("counters_below", &CounterStart::counters_below),
                           field("counters_anywhere", &CounterStart::counters_anywhere));
  }
  void apply(BatchRun& run) const;
};

/// Before the jobs: register writes, which must read back, and accesses that must be refused.
struct RegisterWrites {
  uint64_t register_writes = 0;  ///< seed; 0: none

  static constexpr auto fields() {
    return std::tuple{field("register_writes", &RegisterWrites::register_writes)};
  }
  void apply(BatchRun& run) const;
};

/// While the jobs run: reads of registers, snapshots of the counters, refused accesses.
struct RegisterTraffic {
  uint64_t traffic = 0;  ///< seed; 0: none

  static constexpr auto fields() { return std::tuple{field("traffic", &RegisterTraffic::traffic)}; }
  void apply(BatchRun& run) const;
};

/// The first jobs (see Reset) are submitted to a disabled engine, which must not start any of them.
struct DisabledStart {
  uint64_t disabled_for = 0;  ///< cycles after the last doorbell; 0: it stays enabled

  static constexpr auto fields() {
    return std::tuple{field("disabled_for", &DisabledStart::disabled_for)};
  }
  void prepare(BatchRun& run) const;
  void apply(BatchRun& run) const;
};

/// The engine is disabled during a job. It must finish that job, then wait until it is enabled.
struct Pause {
  uint64_t pause_after = 0;  ///< cycles until the engine is disabled; 0: it is not

  static constexpr auto fields() { return std::tuple{field("pause_after", &Pause::pause_after)}; }
  void apply(BatchRun& run) const;
};

/// Interrupts are masked until the first jobs (see Reset) have ended. The line must stay low,
/// IRQ_STATUS must match the records, and each bit must raise the line and be cleared alone.
struct MaskedInterrupts {
  bool masked = false;

  static constexpr auto fields() { return std::tuple{field("masked", &MaskedInterrupts::masked)}; }
  void prepare(BatchRun& run) const;
  void apply(BatchRun& run) const;
};

struct BusFault {
  std::size_t job = 0;  ///< of the batch
  /// See JobImage::byte_of(). Also "descriptor", or "record", whose write fails: these two concern
  /// all jobs in the ring entry, with 8 entries and job = 1 also jobs 9, 17, ...
  std::string part = "A";
  uint64_t row = 0, byte = 0;

  static constexpr auto fields() {
    return std::make_tuple(field("job", &BusFault::job), field("part", &BusFault::part),
                           field("row", &BusFault::row), field("byte", &BusFault::byte));
  }
  bool is_in_ring() const { return part == "descriptor" || part == "record"; }
};

/// Bytes that the bus refuses while the jobs of the batch run.
struct BusErrors {
  std::vector<BusFault> faults;

  static constexpr auto fields() { return std::tuple{field("faults", &BusErrors::faults)}; }
  /// The next job that is submitted must be the first of the batch.
  void apply(BatchRun& run) const;
};

template <typename... Disturbances>
struct DisturbanceList : Disturbances... {
  static constexpr auto fields() { return std::tuple_cat(Disturbances::fields()...); }
};

/// All disturbances of a batch, in the order of a case file. BatchRun::run() has the order in time.
struct BatchEvents
    : DisturbanceList<EndlessJobs, EmptyJobs, FirstJobId, CounterStart, RegisterWrites,
                      RingOverflow, OneDoorbell, RefusedDoorbells, DisabledStart, Pause,
                      MaskedInterrupts, RegisterTraffic, Reset, BusErrors> {
  /// True if jobs may be aborted.
  bool is_disturbed() const { return reset_after != 0 || endless_jobs != 0 || !faults.empty(); }
};

/// Jobs that are submitted back to back, and disturbances.
struct Batch : BatchEvents {
  std::vector<CosimJob> jobs;
};

}  // namespace mxe::cosim
