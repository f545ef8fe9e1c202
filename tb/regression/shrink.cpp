// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/shrink.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "mxe_regs.h"

namespace mxe::regression {
namespace {

class Shrinker {
 public:
  Shrinker(const CoSimCase& start, std::string bucket, const CasePool::Run& run,
           const ShrinkLimits& limits)
      : best_(start), bucket_(std::move(bucket)), run_(run), limits_(limits) {}

  CoSimCase shrink(std::size_t failed_batch) {
    drop_batches(failed_batch);
    bool progress = true;
    while (progress && !exhausted()) {
      // Simplify the environment first, because it makes later runs faster.
      progress = simplify_environment();
      progress |= drop_events();
      progress |= drop_jobs();
      for (std::size_t b = 0; b < best_.batches.size(); b++) {
        for (std::size_t j = 0; j < best_.batches[b].jobs.size(); j++) {
          progress |= simplify_job(b, j);
        }
      }
    }
    return best_;
  }

 private:
  bool exhausted() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return runs_ >= limits_.runs || spent.count() > limits_.seconds;
  }

  /// Within the limits: keeps the candidate if it differs from the best case, has no endless job
  /// with wrong sizes, and fails in the same bucket.
  bool keep(const CoSimCase& candidate) {
    if (exhausted() || to_json(candidate) == to_json(best_)) return false;
    const auto& batches = candidate.batches;
    if (!std::all_of(batches.begin(), batches.end(), ends)) return false;
    runs_++;
    if (run_(candidate).bucket() != bucket_) return false;
    best_ = candidate;
    return true;
  }

  template <typename Change>
  bool change(const Change& apply) {
    CoSimCase candidate = best_;
    apply(candidate);
    return keep(candidate);
  }

  void drop_batches(std::size_t failed) {
    if (change([&](CoSimCase& c) { c.batches = {BatchSpec(c.batches[failed])}; })) return;
    change([&](CoSimCase& c) { c.batches.resize(failed + 1); });
    drop_elements([](const CoSimCase& c) { return c.batches.size(); },
                  [](CoSimCase& c, std::size_t first, std::size_t last) {
                    c.batches.erase(c.batches.begin() + static_cast<std::ptrdiff_t>(first),
                                    c.batches.begin() + static_cast<std::ptrdiff_t>(last));
                  });
  }

  bool drop_jobs() {
    bool progress = false;
    for (std::size_t b = 0; b < best_.batches.size(); b++) {
      progress |= drop_elements([b](const CoSimCase& c) { return c.batches[b].jobs.size(); },
                                [b](CoSimCase& c, std::size_t first, std::size_t last) {
                                  erase_jobs(c.batches[b], first, last);
                                });
    }
    return progress;
  }

  /// Tries to remove ranges of elements, large ones first; at least one element remains.
  template <typename Count, typename Erase>
  bool drop_elements(const Count& count, const Erase& erase) {
    bool progress = false;
    for (std::size_t length = count(best_) / 2; length > 0; length /= 2) {
      for (std::size_t first = 0; first < count(best_) && count(best_) > 1;) {
        const std::size_t last = std::min(first + length, count(best_));
        if (last - first == count(best_)) break;
        if (change([&](CoSimCase& c) { erase(c, first, last); })) {
          progress = true;
        } else {
          first += length;
        }
      }
    }
    return progress;
  }

  static void erase_jobs(BatchSpec& batch, std::size_t first, std::size_t last) {
    batch.jobs.erase(batch.jobs.begin() + static_cast<std::ptrdiff_t>(first),
                     batch.jobs.begin() + static_cast<std::ptrdiff_t>(last));
    std::vector<cosim::BusFault> faults;
    for (cosim::BusFault fault : batch.faults) {
      if (fault.job >= first && fault.job < last) continue;
      if (fault.job >= last) fault.job -= last - first;
      faults.push_back(fault);
    }
    batch.faults = std::move(faults);
  }

  bool drop_events() {
    bool progress = false;
    for (std::size_t b = 0; b < best_.batches.size(); b++) {
      const auto events = [b](CoSimCase& c) -> cosim::BatchEvents& { return c.batches[b]; };
      progress |= change([&](CoSimCase& c) { events(c) = {}; });
      cosim::for_each_field<cosim::BatchEvents>([&](const auto& field) {
        const cosim::BatchEvents none;
        progress |= change([&](CoSimCase& c) { field.of(events(c)) = field.of(none); });
      });
      progress |= smaller([&](CoSimCase& c) -> uint32_t& { return events(c).empty_jobs; });
    }
    return progress;
  }

  bool simplify_environment() {
    const CoSimCase normal;
    bool progress = change([](CoSimCase& c) { c.back_pressure = 0; });
    progress |= change([&](CoSimCase& c) { c.mem_base = normal.mem_base; });
    progress |= change([](CoSimCase& c) { c.memory.clear(); });
    progress |= change([](CoSimCase& c) { c.clock_mhz = CoSimCase().clock_mhz; });
    progress |= change([](CoSimCase& c) { c.timing.jitter_seed = 0; });
    progress |= change([](CoSimCase& c) { c.timing.bytes_per_cycle = 0; });
    progress |= change([&](CoSimCase& c) { c.ports = normal.ports; });
    progress |= change([](CoSimCase& c) { c.poll = false; });
    progress |= change([](CoSimCase& c) { c.structural = false; });
    progress |= change([](CoSimCase& c) { c.ring = 1; });
    progress |= smaller([](CoSimCase& c) -> unsigned& { return c.timing.latency; });
    return progress;
  }

  template <typename Number>
  bool smaller(const Number& number) {
    bool progress = false;
    for (;;) {
      const auto value = number(best_);
      if (value <= 1) return progress;
      const auto set = [&](auto wanted) {
        return wanted < value && change([&](CoSimCase& c) { number(c) = wanted; });
      };
      using Value = std::decay_t<decltype(value)>;
      const bool shrunk = set(Value{1}) || set(static_cast<Value>(value / 2)) ||
                          set(static_cast<Value>(value - value / 4)) ||
                          set(static_cast<Value>(value - 1));
      if (!shrunk) return progress;
      progress = true;
    }
  }

  /// Applies a change to a job and makes the job legal again.
  template <typename Change>
  bool change_job(std::size_t b, std::size_t j, const Change& apply) {
    return change([&](CoSimCase& c) {
      cosim::JobSpec& job = c.batches[b].jobs[j];
      apply(job);
      const unsigned c_size = job.bias_bf16 ? 2 : 4, d_size = job.output.alignment();
      job::JobLayout& l = job.layout;
      for (unsigned* value : {&l.c_offset, &l.c_gap}) *value = *value / c_size * c_size;
      for (unsigned* value : {&l.d_offset, &l.d_gap}) *value = *value / d_size * d_size;
      const auto breaks_nothing = [&](const cosim::Spoil& spoil) {
        return cosim::broken_rule(spoil, c_size, d_size) == MXE_STATUS_OK;
      };
      job.spoils.erase(std::remove_if(job.spoils.begin(), job.spoils.end(), breaks_nothing),
                       job.spoils.end());
    });
  }

  bool simplify_job(std::size_t b, std::size_t j) {
    const auto job_of = [b, j](CoSimCase& c) -> cosim::JobSpec& { return c.batches[b].jobs[j]; };
    bool progress = smaller([&](CoSimCase& c) -> std::size_t& { return job_of(c).m; });
    progress |= smaller([&](CoSimCase& c) -> std::size_t& { return job_of(c).n; });
    progress |= smaller([&](CoSimCase& c) -> std::size_t& { return job_of(c).k; });
    progress |= smaller([&](CoSimCase& c) -> std::size_t& { return job_of(c).batch; });
    const auto try_change = [&](const auto& apply) { progress |= change_job(b, j, apply); };
    for (std::size_t i = job_of(best_).spoils.size(); i-- > 0;) {
      try_change([i](cosim::JobSpec& s) {
        s.spoils.erase(s.spoils.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    try_change([](cosim::JobSpec& s) { s.output = {}; });
    try_change([](cosim::JobSpec& s) { s.output.requant.rule = numerics::ScaleRule::floor; });
    try_change([](cosim::JobSpec& s) { s.output.requant.overflow = numerics::Overflow::saturate; });
    try_change([](cosim::JobSpec& s) { s.bias = job::BiasKind::none; });
    try_change([](cosim::JobSpec& s) { s.bias_bf16 = false; });
    try_change([](cosim::JobSpec& s) { s.in_turn = false; });
    try_change([](cosim::JobSpec& s) { s.claims = {}; });
    try_change([](cosim::JobSpec& s) { s.layout = {}; });
    simplify_layout(b, j, progress);
    if (job_of(best_).values != cosim::Values::ones) {
      try_change([](cosim::JobSpec& s) { s.values = cosim::Values::ones; });
    }
    if (job_of(best_).values != cosim::Values::ones &&
        job_of(best_).values != cosim::Values::codes) {
      try_change([](cosim::JobSpec& s) { s.values = cosim::Values::codes; });
    }
    try_change([](cosim::JobSpec& s) { s.seed = 0; });
    try_change([](cosim::JobSpec& s) { s.alpha = false; });
    try_change([](cosim::JobSpec& s) { s.nvfp4 = false; });
    try_change([](cosim::JobSpec& s) { s.block_a = s.block_b = 32; });
    try_change([](cosim::JobSpec& s) { s.block_a = 32; });
    try_change([](cosim::JobSpec& s) { s.block_b = 32; });
    if (!job_of(best_).nvfp4) {
      try_change([](cosim::JobSpec& s) { s.format_a = numerics::FormatId::mxfp8_e4m3; });
      try_change([](cosim::JobSpec& s) { s.format_b = numerics::FormatId::mxfp8_e4m3; });
    }
    return progress;
  }

  void simplify_layout(std::size_t b, std::size_t j, bool& progress) {
    cosim::for_each_field<job::JobLayout>([&](const auto& field) {
      const job::JobLayout none;
      progress |= change_job(b, j, [&](cosim::JobSpec& s) { field.of(s.layout) = field.of(none); });
    });
  }

  CoSimCase best_;
  std::string bucket_;
  const CasePool::Run& run_;
  ShrinkLimits limits_;
  unsigned runs_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

CoSimCase shrink(const CoSimCase& cosim_case, const CaseResult& failed, const CasePool::Run& run,
                 const ShrinkLimits& limits) {
  return Shrinker(cosim_case, failed.bucket(), run, limits).shrink(failed.failed_batch);
}

}  // namespace mxe::regression
