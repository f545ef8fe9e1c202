// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/cosim/batch.h"
#include "tb/cosim/device.h"
#include "tb/cosim/job_image.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

inline constexpr uint32_t kAllEvents = 0xF;
/// Cycles after a write of IRQ_STATUS or IRQ_MASK, until software sees the line's new level.
inline constexpr uint64_t kLineCycles = 6;

struct BatchResult {
  const Device* device = nullptr;
  std::vector<JobOutcome> outcomes;        ///< of all jobs
  std::vector<JobOutcome> before_reset;    ///< of the first jobs, which Reset may have aborted
  uint32_t last_job = 0, last_status = 0;  ///< after the batch
  std::vector<uint64_t> faulty_bytes;      ///< addresses that the bus refused
  struct mxe_counters counters {
  }, counters_read{};            ///< counts of the batch; as the registers read
  std::vector<std::string> log;  ///< results of register accesses, with their cycles
};

/// Runs a batch on one device. The disturbances use its public members.
class BatchRun {
 public:
  BatchRun(Device& device, const Batch& batch, const std::vector<JobImage>& images);
  BatchResult run();

  Device& device;
  const Batch& batch;
  const std::vector<JobImage>& images;
  BatchResult result;
  std::vector<uint64_t> first_counts;  ///< set by CounterStart
  uint32_t irq_mask = 0;               ///< of the driver, while MaskedInterrupts replaces it
  uint16_t first_index = 0;            ///< ring index of the first job

  platform::Host& host() const { return device.host(); }
  /// Number of jobs that are submitted before any is waited for: at most the size of the ring.
  std::size_t first_jobs() const;
  void write_images();
  void read_images(std::vector<JobOutcome>& outcomes) const;
  /// Adds a line to the log. Model and RTL must have the same logs.
  void log(const std::string& what);
  /// Throw Error if a rule that holds for every engine is broken.
  void require(bool condition, const std::string& what) const;
  void require_register(uint32_t offset, uint32_t expected, const std::string& when) const;

 private:
  template <typename Disturbance>
  void apply() {
    static_cast<const Disturbance&>(batch).apply(*this);
  }
  void run_jobs();
  void disturb_first_jobs();
  void read_results();

  uint64_t start_ = 0;
};

}  // namespace mxe::cosim
