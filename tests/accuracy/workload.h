// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/memory/memory_timing.h"
#include "model/numerics/base/random.h"
#include "model/params/params.h"
#include "model/platform/rtl/rtl_top.h"
#include "tb/cosim/job_generator.h"

namespace mxe::test {

struct Configuration {
  std::string name;
  Params params;
  std::function<std::unique_ptr<rtl::RtlTop>(const Params&, const std::string& waves)> make_top;
};
/// `name`: small, base, narrow or beats; throws Error for any other.
Configuration configuration(const std::string& name);

struct Stream {
  std::vector<cosim::CosimJob> jobs;
  engine::MemoryTiming timing;
};

/// Random streams of 1 to 6 jobs, for which the model was not tuned: 1 to 1,024 rows and columns, K
/// 1 to 1,024, of one job in six 1,024 to 8,192; latency 1 to 400 cycles, 1/4 to all of the port's
/// bandwidth.
class Workload {
 public:
  Workload(const Params& params, uint64_t seed, uint64_t max_cycles)
      : params_(params), max_cycles_(max_cycles), random_(seed), generator_(params, seed) {}

  Stream next(unsigned max_jobs, bool jitter);

 private:
  cosim::CosimJob job(const engine::MemoryTiming& timing);
  unsigned size(unsigned low, unsigned high);
  engine::MemoryTiming memory(bool jitter);
  double estimated_cycles(double m, double n, double k, const engine::MemoryTiming& timing) const;

  Params params_;
  uint64_t max_cycles_;
  Random random_;
  cosim::JobGenerator generator_;
};

}  // namespace mxe::test
