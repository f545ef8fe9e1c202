// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/timed_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/gemm/accumulate.h"
#include "model/params/hardware.h"
#include "model/params/nest.h"
#include "mxe_parameters.h"

namespace mxe::explore {
namespace {

/// Halves a parameter while it remains at least `least`: 64 with least 20 becomes 32.
void shrink(unsigned& value, uint64_t least) {
  while (value / 2 >= least) value /= 2;
}

numerics::FormatId of_same_bits(numerics::FormatId format) {
  switch (numerics::element_format(format).bits) {
    case 4:
      return numerics::FormatId::mxfp4_e2m1;
    case 6:
      return numerics::FormatId::mxfp6_e3m2;
    default:
      return numerics::FormatId::mxfp8_e4m3;
  }
}

/// Reduces ROWS and ACC_TILES. A must fit in one chunk. Results must not be MX blocks, which depend
/// on stripes and groups. If a stripe can have fewer rows than kMinPass, ACC_TILES remains: with
/// one tile, each pass would wait for the previous pass's accumulators.
void shrink_loops(const job::JobShape& shape, Params& params) {
  const uint64_t fewest_rows = std::min<uint64_t>(shape.m, LoopNest::smallest_part(params.rows));
  if (fewest_rows >= kMinPass) params.acc_tiles = 1;
  shrink(params.rows, std::max<uint64_t>({shape.m, params.num_pe, 8}));
}

std::string key_of(const TimedJob& job) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", job.shape.m,
                     job.shape.n, job.shape.k, static_cast<int>(job.shape.format_a),
                     static_cast<int>(job.shape.format_b), job.shape.is_nvfp4(),
                     job.shape.scales_a.block, job.shape.scales_b.block,
                     job.shape.alpha.has_value(), job.shape.output.name(), job.params.to_string(),
                     job.timing.latency, job.timing.bytes_per_cycle, job.timing.half_duplex,
                     job.timing.jitter_seed, job.ports.reads, job.ports.writes,
                     job.dram ? job.dram->to_text() : "");
}

}  // namespace

TimedJob timing_twin(const TimedJob& job) {
  if (job.dram) return job;
  TimedJob twin = job;
  job::JobShape& shape = twin.shape;
  Params& params = twin.params;
  const bool dual = params.fp4_dual != 0 && numerics::is_dual_pair(shape.format_a, shape.format_b);
  shape.format_a = of_same_bits(shape.format_a);
  shape.format_b = of_same_bits(shape.format_b);
  const ParameterValues standard;
  params.nvfp4 = has_nvfp4(params) ? 1 : 0;
  params.tree_w = standard.tree_w;
  params.queue_depth = standard.queue_depth;
  params.fp4_dual = dual ? 1 : 0;
  const uint64_t word = kBlockSize * (dual ? 2 : 1);
  const uint64_t k_words = (shape.k + word - 1) / word;
  // Least B_BUF_K: all of K (twice if tiles may be wide: a slab is then half a bank), and 3 words
  // if the unpacker takes two at a time.
  const uint64_t least_slab =
      std::max<uint64_t>(k_words * kBlockSize * (LoopNest::may_be_wide(params, shape.m) ? 2 : 1),
                         takes_two_words(params) ? kFewestWordsOfTwo * kBlockSize : 0);
  if (shape.output.numbers() && k_words <= params.a_slab_k / kBlockSize)
    shrink_loops(shape, params);
  shrink(params.b_buf_k, least_slab);
  const auto b_word = static_cast<unsigned>(numerics::packed_row_bytes(shape.format_b, word));
  const uint64_t longest_slab =
      uint64_t{kBlockSize} * LoopNest::slab_words(params, false, LoopNest::has_long_slabs(b_word));
  shrink(params.a_slab_k, std::max<uint64_t>(longest_slab, k_words * kBlockSize));
  shrink(params.max_burst, kPageBytes / params.mem_bytes());
  // A port moves at most a beat per cycle and direction, so a faster memory changes no time, unless
  // it is half-duplex: there, beats also wait for the other direction.
  if (!twin.timing.half_duplex && twin.timing.bytes_per_cycle >= params.mem_bytes()) {
    twin.timing.bytes_per_cycle = 0;
  }
  return twin;
}

JobTimes TimedJobs::times(const TimedJob& job) {
  job.shape.require_pair(job.params);
  const TimedJob twin = timing_twin(job);
  const std::string key = key_of(twin);
  std::promise<JobTimes> promise;
  std::shared_future<JobTimes> future;
  bool is_new = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [found, inserted] = found_.try_emplace(key);
    if (inserted) found->second = promise.get_future().share();
    future = found->second;
    is_new = inserted;
  }
  if (is_new) {
    try {
      promise.set_value(
          time_job(twin.shape, twin.params, twin.timing, twin.ports, nullptr, twin.dram.get()));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }
  return future.get();
}

}  // namespace mxe::explore
