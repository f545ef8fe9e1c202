// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <string>

#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/job/job.h"
#include "model/params/params.h"
#include "sw/explore/job_timer.h"

namespace mxe::explore {

struct TimedJob {
  job::JobShape shape;
  Params params;
  engine::MemoryTiming timing;
  engine::PortLimits ports;
  std::shared_ptr<const dram::Setup> dram = {};  ///< replaces `timing` if not null
};

/// Returns a job with the cycles and counters of `job`, which must be legal. It has the default
/// TREE_W and QUEUE_DEPTH, one format per element width, and buffers and MAX_BURST halved while the
/// cycles stay. A job with a DRAM stays as it is: its cycles depend on addresses.
TimedJob timing_twin(const TimedJob& job);

/// Times of jobs for all points and threads. Simulates each timing_twin() once.
class TimedJobs {
 public:
  /// As time_job(). Waits if another thread simulates the same twin.
  JobTimes times(const TimedJob& job);

  std::size_t count() const { return found_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_future<JobTimes>> found_;  // by twin
};

}  // namespace mxe::explore
