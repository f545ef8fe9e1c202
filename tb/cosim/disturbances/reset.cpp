// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "model/numerics/base/error.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/platform/clock.h"
#include "tb/cosim/batch_run.h"

namespace mxe::cosim {
namespace {

// Helpers of EndlessJobs. Reset, which resets the engine in the middle of a job, is below.

/// Returns a job whose operands are a few bytes, because all strides are 0.
mxe_job small_job(Device& device) {
  constexpr uint64_t kApart = uint64_t{1} << 28;  // more than an endless job reads or writes
  mxe_job job{};
  uint64_t address = device.end_of_ring();
  for (uint64_t* part :
       {&job.a_addr, &job.a_scale_addr, &job.b_addr, &job.b_scale_addr, &job.d_addr}) {
    *part = (address + 63) / 64 * 64;
    address = *part + kApart;
  }
  return job;
}

/// Resets the engine `cycles` after a job's doorbell. Returns the job's status and progress.
std::string run_until_reset(BatchRun& run, const mxe_job& job, uint32_t cycles) {
  run.device.clear_counters();
  const uint32_t id = run.device.submit(job);
  run.host().wait_cycles(cycles);
  const struct mxe_counters done = run.device.read_counters();
  run.device.recover();
  const JobOutcome outcome = run.device.finish(id, platform::current_cycle());
  return fmt::format("{} ({} blocks, {} of them in clocks with two)", mxe_strerror(outcome.result),
                     done.blocks, done.dual_cycles);
}

/// 2^first, ..., 2^last, and each plus `step`.
struct Sizes {
  uint32_t mxe_job::*size;
  uint32_t step;
  unsigned first = 20, last = 31;
};

/// Runs jobs of these sizes on the RTL; of size 1 on the model.
void run_sizes(BatchRun& run, mxe_job& job, const Sizes& sizes, uint32_t cycles) {
  std::string others;
  for (unsigned power = sizes.first; power <= sizes.last; power++) {
    for (const uint32_t more : {0U, sizes.step}) {
      job.batch = job.m = job.n = job.k = 1;
      if (run.device.name() == "rtl") job.*sizes.size = (uint32_t{1} << power) + more;
      const std::string done = run_until_reset(run, job, cycles);
      if (!others.empty() && done != others) {
        throw Error(fmt::format("in {} cycles of {} products {}x{}x{}: {}, of a smaller job: {}",
                                cycles, job.batch, job.m, job.n, job.k, done, others));
      }
      others = done;
    }
  }
}

}  // namespace

void Reset::apply(BatchRun& run) const {
  if (reset_after == 0) return;
  run.write_images();
  run.batch.BusErrors::apply(run);
  const uint64_t start = platform::current_cycle();
  std::vector<uint32_t> ids;
  for (std::size_t i = 0; i < run.first_jobs(); i++) {
    ids.push_back(run.device.submit(run.batch.jobs[i], run.images[i]));
  }
  run.host().wait_cycles(reset_after);
  run.device.recover();
  // The model may have issued bursts of a row fetch that the RTL had not issued yet.
  run.device.memory().restart_timing();
  for (const uint32_t id : ids) {
    run.result.before_reset.push_back(run.device.finish(id, start));
  }
  run.read_images(run.result.before_reset);
}

void EndlessJobs::apply(BatchRun& run) const {
  if (endless_jobs == 0) return;
  const Params& params = run.device.features().params;
  mxe_job job = small_job(run.device);
  for (const numerics::FormatId format :
       {numerics::FormatId::mxfp8_e4m3, numerics::FormatId::mxfp4_e2m1}) {
    job.format_a = job.format_b = static_cast<uint32_t>(format);
    const bool dual = params.fp4_dual != 0 && numerics::is_dual_pair(format, format);
    run_sizes(run, job, {&mxe_job::m, params.rows}, endless_jobs);
    run_sizes(run, job, {&mxe_job::n, params.num_pe * params.acc_tiles}, endless_jobs);
    run_sizes(run, job, {&mxe_job::k, params.a_slab_k * (dual ? 2 : 1)}, endless_jobs);
    run_sizes(run, job, {&mxe_job::batch, 1, 12, 15}, endless_jobs);
  }
}

}  // namespace mxe::cosim
