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
#include "tb/cosim/fields.h"

namespace mxe::cosim {

enum class Values : uint8_t {
  ones,          ///< every product is 1, for case files that are easy to read
  quantized,     ///< normally distributed numbers through the default quantizer
  codes,         ///< any finite code, scales 2^-4 to 2^4, one in four 2^-40 to 2^40
  specials,      ///< finite codes with at most one NaN or Inf in a row, and one NaN scale in 60
  extremes,      ///< scales 0 to 2 and 252 to 254, one in three 67 to 187, one in 100 NaN
  cancellation,  ///< blocks that cancel each other except for small remainders
  tiny,          ///< sums about the FP32 subnormals
  huge,          ///< sums about the FP32 overflow
  zeros,         ///< 15 of 16 elements are zeros, of both signs if the format has -0
  boundaries,    ///< sums at and next to the points where the rounding of results changes
  ties,  ///< one element in 6 is a power of two, the others 0: sums halfway between two results, or
         ///< next to it
  // Only in directed cases.
  special_lanes,  ///< A, B or both (by the seed) have a NaN or Inf, if the format has one, in one
                  ///< lane of each block, row after row in the next lane; the operand that the
                  ///< seed omits has a zero in one lane of each block in every second row
  tiny_ties,      ///< ties, about the FP32 subnormals
  lone_bits,      ///< bias values with one mantissa bit, or one more than a largest element has
  sparse,         ///< one element in 8 is a power of two, scales 2^-30 to 2^30: sums of lone bits
  nan_scales,     ///< every scale is NaN
};
const char* to_string(Values values);
inline constexpr std::array<Values, 16> kAllValues = {
    Values::ones,      Values::quantized,    Values::codes,  Values::specials,
    Values::extremes,  Values::cancellation, Values::tiny,   Values::huge,
    Values::zeros,     Values::boundaries,   Values::ties,   Values::special_lanes,
    Values::tiny_ties, Values::lone_bits,    Values::sparse, Values::nan_scales};
inline constexpr std::array<Values, 10> kRandomValues = {
    Values::quantized, Values::codes, Values::specials, Values::extremes,   Values::cancellation,
    Values::tiny,      Values::huge,  Values::zeros,    Values::boundaries, Values::ties};

/// The recipe of a job: kinds and seeds instead of numbers, so it can be printed, saved and shrunk.
/// The same recipe gives the same job on every machine.
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
  bool in_turn = false;                 ///< see CosimJob
  bool alpha = false;                   ///< the results have a factor, by the seed
  bool nvfp4 = false;                   ///< both operands are NVFP4; the formats are mxfp4_e2m1
  unsigned block_a = 32, block_b = 32;  ///< 32, 64 or 128 elements share a scale; unused with nvfp4

  static constexpr auto fields() {
    constexpr auto requant = &job::OutputFormat::requant;
    return std::make_tuple(
        field("m", &JobSpec::m), field("n", &JobSpec::n), field("k", &JobSpec::k),
        field("batch", &JobSpec::batch), field("format_a", &JobSpec::format_a),
        field("format_b", &JobSpec::format_b), field("values", &JobSpec::values),
        field("seed", &JobSpec::seed), field("bias", &JobSpec::bias),
        field("bias_bf16", &JobSpec::bias_bf16), field("claim_m", &JobSpec::claims, &Claims::m),
        field("claim_n", &JobSpec::claims, &Claims::n),
        field("claim_k", &JobSpec::claims, &Claims::k), field("in_turn", &JobSpec::in_turn),
        field("nvfp4", &JobSpec::nvfp4), field("alpha", &JobSpec::alpha),
        field("block_a", &JobSpec::block_a), field("block_b", &JobSpec::block_b),
        field("results", &JobSpec::output, &job::OutputFormat::kind),
        field("out_format", &JobSpec::output, requant, &numerics::RequantOptions::format),
        field("out_rule", &JobSpec::output, requant, &numerics::RequantOptions::rule),
        field("out_overflow", &JobSpec::output, requant, &numerics::RequantOptions::overflow),
        field("layout", &JobSpec::layout), field("spoils", &JobSpec::spoils));
  }
};

template <>
struct FieldsOf<job::JobLayout> {
  static constexpr auto list() {
    using L = job::JobLayout;
    return std::make_tuple(field("a_offset", &L::a_offset), field("b_offset", &L::b_offset),
                           field("a_scale_offset", &L::a_scale_offset),
                           field("b_scale_offset", &L::b_scale_offset),
                           field("c_offset", &L::c_offset), field("d_offset", &L::d_offset),
                           field("d_scale_offset", &L::d_scale_offset), field("a_gap", &L::a_gap),
                           field("b_gap", &L::b_gap), field("a_scale_gap", &L::a_scale_gap),
                           field("b_scale_gap", &L::b_scale_gap), field("c_gap", &L::c_gap),
                           field("d_gap", &L::d_gap), field("d_scale_gap", &L::d_scale_gap),
                           field("a_one_row", &L::a_one_row), field("b_one_row", &L::b_one_row));
  }
};

/// A smaller shape keeps the numbers in its corner, except that `quantized` rounds cut blocks anew.
CosimJob make_job(const JobSpec& spec);

}  // namespace mxe::cosim
