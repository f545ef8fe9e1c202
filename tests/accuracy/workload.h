// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/memory_timing.h"
#include "model/numerics/random.h"
#include "model/params/params.h"
#include "tb/cosim/job_generator.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {

/// A configuration whose RTL this program holds.
struct Configuration {
  std::string name;
  Params params;
  std::function<std::unique_ptr<RtlTop>(const Params&, const std::string& waves)> make_top;
};
/// small, base, narrow or beats; throws mx::Error naming them.
Configuration configuration(const std::string& name);

/// Jobs for one engine, back to back, in front of one memory.
struct Stream {
  std::vector<CosimJob> jobs;
  MemoryTiming timing;
};

/// Random streams that nobody tuned the model for: 1 to 6 jobs of any pair of formats, 1 to 1,024
/// rows and columns, K to 1,024 and in one job of six to 8,192, any format of results, with or
/// without a bias, any alignment; a memory of 1 to 400 cycles of latency and from a quarter of the
/// port's bandwidth to all of it.
class Workload {
 public:
  /// `max_cycles`: about the longest job.
  Workload(const Params& params, uint64_t seed, uint64_t max_cycles)
      : params_(params), max_cycles_(max_cycles), random_(seed), generator_(params, seed) {}

  /// At most `max_jobs` jobs.
  Stream next(unsigned max_jobs, bool jitter);

 private:
  CosimJob job(const MemoryTiming& timing);
  unsigned size(unsigned low, unsigned high);
  MemoryTiming memory(bool jitter);
  double estimated_cycles(double m, double n, double k, const MemoryTiming& timing) const;

  Params params_;
  uint64_t max_cycles_;
  Random random_;
  JobGenerator generator_;
};

}  // namespace mxe
