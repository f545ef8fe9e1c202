// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/numerics/base/error.h"
#include "model/numerics/gemm/accumulate.h"
#include "tests/cosim/odd_designs.h"

namespace mxe::test {

namespace {

constexpr unsigned kMaxJobs = 6;
constexpr unsigned kMaxSize = 1024, kMaxDeepK = 8192;
constexpr unsigned kMaxLatency = 400;

}  // namespace

Configuration configuration(const std::string& name) {
  if (name == "small" || name == "base") return {name, Params::named(name), rtl::make_rtl_top};
  if (name == "narrow" || name == "beats") {
    const OddDesign odd = odd_design(name).value();
    return {name, odd.params, odd.make_top};
  }
  throw Error(
      fmt::format("no configuration '{}' here (allowed: small, base, narrow, beats)", name));
}

Stream Workload::next(unsigned max_jobs, bool jitter) {
  Stream stream;
  stream.timing = memory(jitter);
  const auto count = static_cast<unsigned>(random_.uniform(1, std::min(kMaxJobs, max_jobs)));
  while (stream.jobs.size() < count) stream.jobs.push_back(job(stream.timing));
  return stream;
}

/// Uniform on a logarithmic scale.
unsigned Workload::size(unsigned low, unsigned high) {
  const double ratio = std::log(static_cast<double>(high) / low);
  return std::clamp(static_cast<unsigned>(std::lround(low * std::exp(random_.real() * ratio))), low,
                    high);
}

engine::MemoryTiming Workload::memory(bool jitter) {
  engine::MemoryTiming timing;
  timing.latency = random_.one_in(2) ? size(1, kMaxLatency)
                                     : static_cast<unsigned>(random_.uniform(1, kMaxLatency));
  if (random_.one_in(2))
    timing.bytes_per_cycle = params_.mem_bytes() * (0.25 + 0.75 * random_.real());
  if (jitter) timing.jitter_seed = random_.uniform(1, ~uint64_t{0});
  return timing;
}

double Workload::estimated_cycles(double m, double n, double k,
                                  const engine::MemoryTiming& timing) const {
  const double bandwidth =
      timing.bytes_per_cycle == 0 ? params_.mem_bytes() : timing.bytes_per_cycle;
  const double stripes = std::ceil(m / params_.rows), tiles = std::ceil(n / params_.num_pe);
  const double pass = std::max({std::min<double>(m, params_.rows), 7.0, params_.num_pe + 1.0});
  const double array = stripes * tiles * std::ceil(k / 32) * pass;
  return std::max(array, stripes * n * k / bandwidth);
}

cosim::CosimJob Workload::job(const engine::MemoryTiming& timing) {
  for (;;) {
    const auto format = [this] {
      return numerics::kAllFormats[random_.uniform(0, numerics::kAllFormats.size() - 1)];
    };
    const numerics::FormatId a = format(), b = format();
    const unsigned m = size(1, kMaxSize), n = size(1, kMaxSize);
    const unsigned k = random_.one_in(6) ? size(kMaxSize, kMaxDeepK) : size(1, kMaxSize);
    if (numerics::pair_tree_width(a, b) > params_.tree_w) continue;
    if (estimated_cycles(m, n, k, timing) > static_cast<double>(max_cycles_)) continue;
    cosim::JobSpec spec = generator_.next_spec(a, b);
    spec.m = m;
    spec.n = n;
    spec.k = k;
    spec.values = cosim::Values::codes;
    return cosim::make_job(spec);
  }
}

}  // namespace mxe::test
