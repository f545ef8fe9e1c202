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
};

/// A representative of all jobs with the same cycles and counters. They differ only in properties
/// that do not affect timing: the tree's width, formats of equal size, buffers and bursts larger
/// than the job needs. The job must be legal.
TimedJob timing_twin(const TimedJob& job);

/// Times of jobs, each simulated once for all points and threads.
class TimedJobs {
 public:
  /// As time_job(). Waits if another thread is timing the same job.
  JobTimes times(const TimedJob& job);

  std::size_t count() const { return found_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_future<JobTimes>> found_;  // by twin
};

}  // namespace mxe::explore
