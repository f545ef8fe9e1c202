// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/numerics/base/random.h"
#include "tb/cosim/engine_features.h"
#include "tb/cosim/job_spec.h"

namespace mxe::cosim {

struct JobMix {
  unsigned max_m = 40, max_n = 40, max_k = 400;
  unsigned max_work = 60000;  ///< largest m * n * ceil(k / 32)
  /// One job in this number breaks a rule, and one may need a missing feature; 0: none.
  unsigned illegal = 0;
};

/// An endless stream of random jobs for an engine, determined by the seed. Shapes favour the edges
/// of the engine's tiles. Layouts, formats, results, bias and values are drawn independently.
class JobGenerator {
 public:
  JobGenerator(const EngineFeatures& features, uint64_t seed, const JobMix& mix = {});

  JobSpec next_spec();
  JobSpec next_spec(numerics::FormatId format_a, numerics::FormatId format_b) {
    return next_spec(format_a, format_b, false);
  }

  CosimJob next() { return make_job(next_spec()); }
  CosimJob next(numerics::FormatId a, numerics::FormatId b) { return make_job(next_spec(a, b)); }

 private:
  JobSpec next_spec(numerics::FormatId format_a, numerics::FormatId format_b, bool beyond_features);
  std::size_t extent(unsigned tile, unsigned max);
  job::OutputFormat output();
  std::size_t products(const JobSpec& spec) const;
  std::vector<Spoil> spoils(const JobSpec& spec);
  Spoil spoil();
  job::JobLayout layout(unsigned c_alignment, unsigned d_alignment);

  EngineFeatures features_;
  Random random_;
  JobMix mix_;
};

}  // namespace mxe::cosim
