// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/output.h"
#include "model/numerics/formats/format.h"
#include "tb/cosim/cosim_job.h"

namespace mxe::cosim {

/// What kind of values a job computes with.
enum class Values : uint8_t {
  ones,          ///< every product is 1, for cases that people read
  quantized,     ///< normally distributed numbers through the default quantizer
  codes,         ///< any finite code, scales near one
  specials,      ///< the same with at most one NaN or Inf in a row, and a few NaN scales
  extremes,      ///< scales 0, 1, 253, 254 and now and then 255
  cancellation,  ///< blocks that cancel each other up to a few small ones
  tiny,          ///< sums about the FP32 subnormals
  huge,          ///< sums about the FP32 overflow
  zeros,         ///< mostly zeros of both signs
  boundaries,    ///< sums on and beside the points where the rounding of results changes
  ties,          ///< few powers of two far apart: sums halfway between two results, or just beside
  // For directed cases: every position in turn.
  special_lanes,  ///< A, B or both (by the seed) have a NaN or Inf in one lane; what has none has a
                  ///< zero in one lane of every second row
  tiny_ties,      ///< ties, about the FP32 subnormals
  lone_bits,      ///< of the bias: one mantissa bit, or one beside those of a largest element
  sparse,         ///< few powers of two, scales far apart: sums of lone bits at any distance
  nan_scales,     ///< every scale is NaN
};
const char* to_string(Values values);
/// The kinds that random jobs are made of.
inline constexpr std::array<Values, 10> kRandomValues = {
    Values::quantized, Values::codes, Values::specials, Values::extremes,   Values::cancellation,
    Values::tiny,      Values::huge,  Values::zeros,    Values::boundaries, Values::ties};

/// A job as a recipe: what it is made of, not the numbers themselves. Small enough to be printed,
/// saved and varied; the same recipe makes the same job everywhere.
struct JobSpec {
  numerics::FormatId format_a = numerics::FormatId::mxfp8_e4m3,
                     format_b = numerics::FormatId::mxfp8_e4m3;
  std::size_t m = 1, n = 1, k = 1;
  std::size_t batch = 1;
  Values values = Values::ones;
  uint64_t seed = 0;  ///< of the values
  job::BiasKind bias = job::BiasKind::none;
  bool bias_bf16 = false;
  job::OutputFormat output;
  job::JobLayout layout;
  std::vector<Spoil> spoils;
  Claims claims;
  bool in_turn = false;  ///< operands are read as if they were results of the job before
};

/// Makes the job. A job of a smaller shape, otherwise the same, has the same numbers in the corner
/// that is left (only `quantized` rounds a cut block anew).
CosimJob make_job(const JobSpec& spec);

}  // namespace mxe::cosim
