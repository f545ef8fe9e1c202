#pragma once

#include "engine/params.h"
#include "platform/random.h"
#include "tb/job.h"

namespace mxe {

/// What kind of values the operands of a job hold.
enum class Values {
  quantized,     ///< normally distributed numbers through the default quantizer
  codes,         ///< any finite code, scales near one
  specials,      ///< the same with a few NaN and Inf elements and NaN scales
  extremes,      ///< scales 0, 1, 253, 254 and now and then 255
  cancellation,  ///< blocks that cancel each other up to a few small ones
  tiny,          ///< sums about the FP32 subnormals
  huge,          ///< sums about the FP32 overflow
  zeros,         ///< mostly zeros of both signs
};
const char* to_string(Values values);

/// Limits of generated jobs.
struct JobMix {
  unsigned max_m = 40, max_n = 40, max_k = 400;
  unsigned max_work = 60000;  ///< largest m * n * k / 32 * ... kept small: m * n * ceil(k / 32)
};

/// An endless stream of random jobs for an engine; the seed determines all of it. Shapes favour the
/// edges of the engine's tiles; layouts, formats, bias and values are mixed freely.
class JobGenerator {
 public:
  JobGenerator(const Params& params, uint64_t seed, const JobMix& mix = {});

  /// A job with everything random, of a pair that the engine's TREE_W admits.
  Job next();
  /// The same for a given pair of formats.
  Job next(mx::FormatId format_a, mx::FormatId format_b);
  /// The same for a given shape and kind of values too.
  Job make(mx::FormatId format_a, mx::FormatId format_b, std::size_t m, std::size_t n,
           std::size_t k, Values values);

 private:
  std::size_t extent(unsigned tile, unsigned max);
  JobLayout layout();
  mx::MxTensor tensor(mx::FormatId format, std::size_t rows, std::size_t k, Values values);
  uint8_t code(mx::FormatId format, Values values);
  uint8_t scale(mx::FormatId format, Values values);
  void cancel(mx::MxTensor& tensor);
  float bias_value(Values values);
  float normal();

  Params params_;
  Random random_;
  JobMix mix_;
};

}  // namespace mxe
