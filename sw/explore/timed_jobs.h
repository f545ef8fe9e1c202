// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <string>

#include "model/engine/memory_port.h"
#include "model/engine/memory_timing.h"
#include "model/job/job.h"
#include "model/params/params.h"
#include "sw/explore/job_timer.h"

namespace mxe::explore {

/// A job on an engine with a memory.
struct TimedJob {
  JobShape shape;
  Params params;
  MemoryTiming timing;
  PortLimits ports;
};

/// One job for all jobs that take the same cycles and count the same because they differ only in
/// what their timing never sees: the width of the tree, a format of as many bits, buffers and
/// bursts beyond what the job fills. The job must be possible.
TimedJob timing_twin(const TimedJob& job);

/// The times of jobs, each found once, whatever the number of points and of threads that ask.
class TimedJobs {
 public:
  /// See time_job. A thread waits where another one is timing the same job.
  JobTimes times(const TimedJob& job);

  /// Jobs timed so far.
  std::size_t count() const { return found_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_future<JobTimes>> found_;  // by the job's twin
};

}  // namespace mxe::explore
