// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/job_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/random.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::cosim {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

bool is_finite(numerics::FormatId format, uint8_t code) {
  return std::isfinite(numerics::decode(format, code));
}

int emax(numerics::FormatId format) { return numerics::element_format(format).emax; }

uint8_t clamp_scale(int scale) { return static_cast<uint8_t>(std::clamp(scale, 0, 254)); }

bool are_ties(Values values) { return values == Values::ties || values == Values::tiny_ties; }

/// Exponent of the scales with which the smallest product of two elements is 2^-152.
int centre_of_tiny_ties(numerics::FormatId format) {
  constexpr int kSmallestProduct = -152;
  return kSmallestProduct / 2 - numerics::element_format(format).lsb_exponent;
}

/// About normally distributed, mean 0, variance 1.
float normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += random.real();
  return static_cast<float>(sum);
}

void repeat_first_row(numerics::MxTensor& tensor) {
  const std::size_t columns = tensor.scale_columns();
  for (std::size_t row = 1; row < tensor.rows; row++) {
    std::memcpy(&tensor.codes[row * tensor.k], tensor.codes.data(), tensor.k);
    std::memcpy(&tensor.scales[row * columns], tensor.scales.data(), columns);
  }
}

// ---------------------------------------------------------------- operands

/// One operand. Each row has separate generators, so a smaller matrix is a corner of a larger one.
class Operand {
 public:
  Operand(const JobSpec& spec, numerics::FormatId format, unsigned stream)
      : spec_(spec), format_(format), stream_(stream) {}

  numerics::MxTensor make(std::size_t rows) const;

 private:
  bool has_plain_scales() const { return !spec_.nvfp4 && block() == kBlockSize; }
  unsigned block() const { return stream_ == 0 ? spec_.block_a : spec_.block_b; }
  enum Use : unsigned { codes, scales, cancelled_codes, cancelled_scales, special };

  Random generator(std::size_t row, Use use) const {
    return Random(mix64(spec_.seed + mix64(stream_ * 16 + use)) + row);
  }
  void fill_row(numerics::MxTensor& tensor, std::size_t row) const;
  void cancel(numerics::MxTensor& tensor, std::size_t row) const;
  void put_special(numerics::MxTensor& tensor, std::size_t row) const;
  void put_in_lane(numerics::MxTensor& tensor, std::size_t row) const;
  uint8_t power_of_two(Random& random) const;
  uint8_t code(Random& random, std::size_t row) const;
  uint8_t scale(Random& random) const;
  uint8_t nvfp4_scale(Random& random) const;

  const JobSpec& spec_;
  numerics::FormatId format_;
  unsigned stream_;
};

numerics::MxTensor Operand::make(std::size_t rows) const {
  if (spec_.values == Values::quantized && has_plain_scales()) {
    std::vector<float> x;
    for (std::size_t row = 0; row < rows; row++) {
      Random random = generator(row, codes);
      for (std::size_t i = 0; i < spec_.k; i++) x.push_back(normal(random));
    }
    return numerics::quantize_rows(x.data(), rows, spec_.k, format_);
  }
  if (spec_.values == Values::ones && has_plain_scales()) {
    const std::vector<float> x(rows * spec_.k, 1.0f);
    return numerics::quantize_rows(x.data(), rows, spec_.k, format_);
  }
  numerics::MxTensor tensor;
  tensor.format = format_;
  tensor.rows = rows;
  tensor.k = spec_.k;
  tensor.layout.block = block();
  if (spec_.nvfp4) tensor.layout = numerics::kNvfp4Scales;
  tensor.codes.resize(rows * spec_.k);
  tensor.scales.resize(rows * tensor.scale_columns());
  for (std::size_t row = 0; row < rows; row++) {
    fill_row(tensor, row);
    if (spec_.values == Values::cancellation) cancel(tensor, row);
    if (spec_.values == Values::specials) put_special(tensor, row);
    if (spec_.values == Values::special_lanes) put_in_lane(tensor, row);
  }
  return tensor;
}

void Operand::fill_row(numerics::MxTensor& tensor, std::size_t row) const {
  Random code_random = generator(row, codes), scale_random = generator(row, scales);
  for (std::size_t i = 0; i < tensor.k; i++) {
    tensor.codes[row * tensor.k + i] = code(code_random, row);
  }
  const std::size_t columns = tensor.scale_columns();
  for (std::size_t i = 0; i < columns; i++) {
    tensor.scales[row * columns + i] =
        spec_.nvfp4 ? nvfp4_scale(scale_random) : scale(scale_random);
  }
}

uint8_t Operand::code(Random& random, std::size_t row) const {
  const numerics::ElementFormat& f = numerics::element_format(format_);
  if (spec_.values == Values::ones) return 2;  // of E2M1
  if (spec_.values == Values::zeros && !random.one_in(16)) {
    return random.one_in(2) && f.kind == numerics::FormatKind::floating
               ? static_cast<uint8_t>(f.sign_mask())
               : uint8_t{0};
  }
  // Three rows of four are 0, so that their sums are the bias, which has the boundary values.
  if (spec_.values == Values::boundaries && stream_ == 0 && row % 4 != 3) return 0;
  if (are_ties(spec_.values)) {
    // Nonzero elements of even rows are the smallest number, so that sums are a few units in the
    // last place.
    const uint8_t one = row % 2 == 0 ? uint8_t{1} : power_of_two(random);
    return random.one_in(6) ? one : uint8_t{0};
  }
  if (spec_.values == Values::lone_bits && stream_ == 0) return 0;
  if (spec_.values == Values::sparse) return random.one_in(8) ? power_of_two(random) : uint8_t{0};
  for (;;) {
    const uint8_t c = static_cast<uint8_t>(random.next() & f.code_mask());
    const bool is_zero = spec_.values == Values::special_lanes && numerics::decode(format_, c) == 0;
    if (is_finite(format_, c) && !is_zero) return c;
  }
}

/// A power of two of the format, of either sign; of the subnormal ones only the smallest.
uint8_t Operand::power_of_two(Random& random) const {
  const numerics::ElementFormat& f = numerics::element_format(format_);
  const bool negative = random.one_in(2);
  for (;;) {
    if (f.kind != numerics::FormatKind::floating) {
      const int value = 1 << random.uniform(0, 6);
      return static_cast<uint8_t>(negative ? -value : value);
    }
    const uint64_t exponent = random.uniform(0, f.sign_mask() >> f.mantissa_bits);
    const uint64_t c = exponent == 0 ? 1 : exponent << f.mantissa_bits;
    if (c < f.sign_mask() && is_finite(format_, static_cast<uint8_t>(c))) {
      return static_cast<uint8_t>(c | (negative ? f.sign_mask() : 0u));
    }
  }
}

/// Puts a NaN or Inf, if the format has one, into lane r (modulo 32) of every block of row r, in
/// one or both operands (by the seed). Every 256 rows the lane advances by one, so that other
/// columns of the array have it. In the odd rows r, the operand that the seed omits gets a zero in
/// lane r / 2.
void Operand::put_in_lane(numerics::MxTensor& tensor, std::size_t row) const {
  const numerics::ElementFormat& f = numerics::element_format(format_);
  std::vector<uint8_t> not_finite;
  for (unsigned code = 0; code <= f.code_mask(); code++) {
    const auto c = static_cast<uint8_t>(code);
    if (!is_finite(format_, c)) not_finite.push_back(c);
  }
  const bool is_special = spec_.seed % 3 == stream_ || spec_.seed % 3 == 2;
  if (is_special ? not_finite.empty() : row % 2 == 0) return;
  const std::size_t lane = (is_special ? row + row / 256 : row / 2) % kBlockSize;
  for (std::size_t i = lane; i < tensor.k; i += kBlockSize) {
    tensor.codes[row * tensor.k + i] =
        is_special ? not_finite[row / kBlockSize % not_finite.size()] : uint8_t{0};
  }
}

/// Puts at most one NaN or Inf into the first three blocks of a row; it decides the result.
void Operand::put_special(numerics::MxTensor& tensor, std::size_t row) const {
  const numerics::ElementFormat& f = numerics::element_format(format_);
  Random random = generator(row, special);
  const std::size_t column = random.uniform(0, 3 * kBlockSize - 1);
  if (!(f.has_inf || f.has_nan) || column >= tensor.k || random.one_in(2)) return;
  uint8_t& code = tensor.codes[row * tensor.k + column];
  do {
    code = static_cast<uint8_t>(random.next() & f.code_mask());
  } while (is_finite(format_, code));
}

uint8_t Operand::scale(Random& random) const {
  const auto around = [&random](int centre, unsigned width) {
    return clamp_scale(centre - static_cast<int>(width) +
                       static_cast<int>(random.uniform(0, 2 * width)));
  };
  switch (spec_.values) {
    case Values::specials:
      return random.one_in(60) ? numerics::kNanScale : around(127, 10);
    case Values::extremes: {
      static constexpr std::array<uint8_t, 6> kScales{0, 1, 2, 252, 253, 254};
      if (random.one_in(100)) return numerics::kNanScale;
      return random.one_in(3) ? around(127, 60) : kScales[random.uniform(0, kScales.size() - 1)];
    }
    case Values::tiny:
      return around(127 - 70 - emax(format_), 12);
    case Values::huge:
      return around(127 + 60 - emax(format_), 6);
    case Values::cancellation:
      return around(127, 3);
    case Values::ties:
      return around(127, random.one_in(4) ? 20 : 1);
    case Values::tiny_ties:
      return around(127 + centre_of_tiny_ties(format_), random.one_in(3) ? 12 : 1);
    case Values::sparse:
      return around(127, 30);
    case Values::nan_scales:
      return numerics::kNanScale;
    default:
      return around(127, random.one_in(4) ? 40 : 4);
  }
}

uint8_t Operand::nvfp4_scale(Random& random) const {
  constexpr uint8_t kOne = 0x38, kLargest = 0x7E, kNan = 0x7F;
  const auto between = [&random](uint8_t first, uint8_t last) {
    return static_cast<uint8_t>(random.uniform(first, last));
  };
  const auto nan = [&] { return between(kNan, 0xFF); };
  switch (spec_.values) {
    case Values::ones:
      return kOne;
    case Values::specials:
      return random.one_in(60) ? nan() : between(0x20, 0x50);
    case Values::extremes: {
      static constexpr std::array<uint8_t, 6> kScales{0, 1, 7, 8, 0x7D, kLargest};
      if (random.one_in(100)) return nan();
      return random.one_in(3) ? between(0, kLargest) : kScales[random.uniform(0, 5)];
    }
    case Values::tiny:
      return between(0, 0x10);
    case Values::huge:
      return between(0x70, kLargest);
    case Values::cancellation:
      return between(kOne - 3, kOne + 3);
    case Values::ties:
    case Values::tiny_ties:
    case Values::sparse:
      return static_cast<uint8_t>(8 * random.uniform(1, 15));  // powers of two
    case Values::nan_scales:
      return nan();
    default:
      return random.one_in(4) ? between(0, kLargest) : between(kOne - 8, kOne + 8);
  }
}

/// Copies the preceding block into every second block of a row, negated in half of the rows, except
/// for one element in 50. Exact sums then often vanish, and small remainders decide.
void Operand::cancel(numerics::MxTensor& tensor, std::size_t row) const {
  const uint8_t sign = static_cast<uint8_t>(numerics::element_format(format_).sign_mask());
  const bool floating = numerics::element_format(format_).kind == numerics::FormatKind::floating;
  Random random = generator(row, cancelled_codes);
  const bool negate = random.one_in(2);
  uint8_t* codes_of_row = &tensor.codes[row * tensor.k];
  const std::size_t size = tensor.layout.block;
  for (std::size_t i = size; i < tensor.k; i++) {
    if (i / size % 2 == 0 || random.one_in(50)) continue;
    uint8_t c = codes_of_row[i - size];
    if (negate) c = floating ? c ^ sign : static_cast<uint8_t>(-c);
    codes_of_row[i] = c;
  }
  Random scale_random = generator(row, cancelled_scales);
  uint8_t* scales_of_row = &tensor.scales[row * tensor.scale_columns()];
  for (std::size_t block = 1; block < tensor.scale_columns(); block += 2) {
    if (!scale_random.one_in(8)) scales_of_row[block] = scales_of_row[block - 1];
  }
}

// ---------------------------------------------------------------- bias

/// Mantissa bits of the results' format; FP32 results, which are not rounded, use those of BF16.
int mantissa_bits(const job::OutputFormat& output) {
  constexpr int kBfloat16Bits = 7;
  const job::NumberFormat* numbers = output.numbers();
  if (numbers == nullptr) return numerics::element_format(output.requant.format).mantissa_bits;
  if (numbers->narrow == nullptr) return kBfloat16Bits;
  // The largest number is 2 - 2^-bits times a power of two.
  const float significand = std::ldexp(numbers->largest, -std::ilogb(numbers->largest));
  return -std::ilogb(2 - significand);
}

/// Exponent of half the least subnormal of 16-bit results (FP16: -25), else of the least FP32
/// number.
int smallest_tie(const job::OutputFormat& output) {
  constexpr int kSmallestFp32 = -149;
  const job::NumberFormat* numbers = output.numbers();
  if (numbers == nullptr || numbers->narrow == nullptr) return kSmallestFp32;
  return std::ilogb(numbers->smallest) - mantissa_bits(output) - 1;
}

/// Numbers at and next to the points where a block's scale or an element's rounding changes.
class BoundaryBlock {
 public:
  BoundaryBlock(const job::OutputFormat& output, Random& random)
      : output_(output), bits_(mantissa_bits(output)), smallest_tie_(smallest_tie(output)) {
    exponent_ =
        static_cast<int>(random.one_in(4) ? random.uniform(0, 276) : random.uniform(130, 170)) -
        149;
    peak_column_ = random.uniform(0, kBlockSize - 1);
    peak_ = peak(random);
  }

  float value(std::size_t column, Random& random) const {
    if (random.one_in(1000)) return random.one_in(2) ? kInf : std::nanf("");
    const float magnitude = column % kBlockSize == peak_column_ ? peak_ : other(random);
    return random.one_in(2) ? -magnitude : magnitude;
  }

 private:
  /// Largest magnitude: a power of two, the largest element, halfway above, or any; or a neighbour.
  float peak(Random& random) const {
    const double step = std::ldexp(1.0, -bits_);
    double significand = 1 + random.real();
    switch (random.uniform(0, 3)) {
      case 0:
        significand = 1;
        break;
      case 1:
        significand = 2 - step;
        if (output_.kind == job::OutputFormat::Kind::mx) {
          const numerics::ElementFormat& format = numerics::element_format(output_.requant.format);
          significand = format.max / std::ldexp(1.0, format.emax);
        }
        break;
      case 2:
        significand = 2 - step / 2;
        break;
      default:
        break;
    }
    return beside(static_cast<float>(std::ldexp(significand, exponent_)), random);
  }

  /// A multiple of half the step between two elements, at any magnitude below the peak.
  float other(Random& random) const {
    const int most = exponent_ - static_cast<int>(random.uniform(0, 6));
    const int half_step = std::max(most - bits_ - 2, smallest_tie_);
    const auto multiple =
        static_cast<double>(random.uniform(1, uint64_t{1} << std::max(most - half_step, 0)));
    const auto tie = static_cast<float>(std::ldexp(multiple, half_step));
    return std::min(beside(tie, random), peak_);
  }

  static float beside(float value, Random& random) {
    switch (random.uniform(0, 3)) {
      case 0:
        return std::nextafter(value, 0.0f);
      case 1:
        return std::nextafter(value, kInf);
      default:
        return value;
    }
  }

  job::OutputFormat output_;
  int bits_, smallest_tie_, exponent_ = 0;
  std::size_t peak_column_ = 0;
  float peak_ = 0;
};

/// A number of 2^-32 to 2^32 times the smallest product of two elements.
float bias_about_products(const JobSpec& spec, Random& random) {
  const auto smallest_of = [&spec](numerics::FormatId format) {
    const int scale = spec.values == Values::tiny_ties ? centre_of_tiny_ties(format) : 0;
    return numerics::element_format(format).lsb_exponent + scale;
  };
  const int smallest = smallest_of(spec.format_a) + smallest_of(spec.format_b);
  const int exponent = smallest - 32 + static_cast<int>(random.uniform(0, 64));
  const double significand = random.one_in(3) ? 1.0 : 1 + random.real();
  const auto magnitude = static_cast<float>(std::ldexp(significand, exponent));
  return random.one_in(2) ? -magnitude : magnitude;
}

float bias_value(const JobSpec& spec, Random& random) {
  const Values values = spec.values;
  const auto pick = [&random](const auto& choices) {
    return choices[random.uniform(0, choices.size() - 1)];
  };
  if (values == Values::ones) return 1;
  if (values == Values::specials && random.one_in(20)) {
    return pick(std::array<float, 3>{kInf, -kInf, std::nanf("")});
  }
  if (values == Values::extremes && random.one_in(4)) {
    return pick(
        std::array<float, 6>{0x1p-149f, -0x1p-126f, 0x1.fffffep127f, 0x1.FEp127f, -0.0f, 1.0f});
  }
  if (values == Values::zeros) return random.one_in(2) ? -0.0f : 0.0f;
  if (values == Values::tiny) return normal(random) * 0x1p-140f;
  if (values == Values::huge) return normal(random) * 0x1p120f;
  if (are_ties(values)) return bias_about_products(spec, random);
  return normal(random) * 16;
}

/// Repeats after 480 rows, of four magnitudes. The largest number of a block is a power of two or
/// the largest element of a format, with one of the 23 mantissa bits set in addition, or none. The
/// numbers of the other columns have one mantissa bit each.
float lone_bit(std::size_t row, std::size_t column) {
  constexpr uint32_t kMantissaBits = 23;
  constexpr std::array<uint32_t, 4> kExponents = {0, 1, 127, 254};
  constexpr std::array<uint32_t, 5> kMantissas = {0, 0x400000, 0x600000, 0x700000, 0x7E0000};
  const auto sign = static_cast<uint32_t>((row + column) % 2) << 31;
  const uint32_t exponent = kExponents[row % 4];
  if (column % kBlockSize == row * 7 % kBlockSize) {
    const uint64_t bit = uint64_t{1} << (row / 20 % (kMantissaBits + 1));
    const auto low = static_cast<uint32_t>(bit % (1u << kMantissaBits));
    return from_bits(sign | exponent << kMantissaBits | kMantissas[row / 4 % 5] | low);
  }
  const auto below = static_cast<uint32_t>(1 + column % 12);
  const uint32_t smaller = exponent > below ? exponent - below : 0;
  return from_bits(sign | smaller << kMantissaBits | 1u << (row + column) % kMantissaBits);
}

std::vector<float> make_bias(const JobSpec& spec) {
  constexpr uint64_t kStream = 0xB1A5;
  std::vector<float> bias;
  if (spec.bias == job::BiasKind::none) return bias;
  const std::size_t rows = spec.bias == job::BiasKind::row ? 1 : spec.batch * spec.m;
  for (std::size_t row = 0; row < rows; row++) {
    Random random(mix64(spec.seed + mix64(kStream)) + row);
    BoundaryBlock block(spec.output, random);
    for (std::size_t column = 0; column < spec.n; column++) {
      if (column > 0 && column % kBlockSize == 0) block = BoundaryBlock(spec.output, random);
      if (spec.values == Values::boundaries) {
        bias.push_back(block.value(column, random));
      } else if (spec.values == Values::lone_bits) {
        bias.push_back(lone_bit(row, column));
      } else {
        bias.push_back(bias_value(spec, random));
      }
    }
  }
  return spec.bias_bf16 ? job::round_to_bfloat16(bias) : bias;
}

/// A number of either sign about 1; one in 8 is a special number or has random bits.
float make_alpha(const JobSpec& spec) {
  using Limits = std::numeric_limits<float>;
  static constexpr std::array<float, 6> kSpecial{0,
                                                 Limits::infinity(),
                                                 Limits::quiet_NaN(),
                                                 Limits::max(),
                                                 Limits::min(),
                                                 Limits::denorm_min()};
  Random random(mix64(spec.seed + 3));
  float alpha = 0;
  if (random.one_in(16)) {
    alpha = kSpecial[random.uniform(0, kSpecial.size() - 1)];
  } else if (random.one_in(16)) {
    return from_bits(static_cast<uint32_t>(random.next()));
  } else {
    const int exponent = static_cast<int>(random.uniform(0, 24)) - 12;
    alpha = static_cast<float>(std::ldexp(1 + random.real(), exponent));
  }
  return random.one_in(2) ? -alpha : alpha;
}

}  // namespace

const char* to_string(Values values) {
  switch (values) {
    case Values::ones:
      return "ones";
    case Values::quantized:
      return "quantized";
    case Values::codes:
      return "codes";
    case Values::specials:
      return "specials";
    case Values::extremes:
      return "extremes";
    case Values::cancellation:
      return "cancellation";
    case Values::tiny:
      return "tiny";
    case Values::huge:
      return "huge";
    case Values::zeros:
      return "zeros";
    case Values::boundaries:
      return "boundaries";
    case Values::ties:
      return "ties";
    case Values::special_lanes:
      return "special_lanes";
    case Values::tiny_ties:
      return "tiny_ties";
    case Values::lone_bits:
      return "lone_bits";
    case Values::sparse:
      return "sparse";
    case Values::nan_scales:
      return "nan_scales";
  }
  return "unknown";
}

CosimJob make_job(const JobSpec& spec) {
  CosimJob job;
  job.batch = spec.batch;
  job.a = Operand(spec, spec.format_a, 0).make(spec.batch * spec.m);
  job.b = Operand(spec, spec.format_b, 1).make(spec.batch * spec.n);
  if (spec.layout.a_one_row) repeat_first_row(job.a);
  if (spec.layout.b_one_row) repeat_first_row(job.b);
  job.bias = make_bias(spec);
  job.bias_one_row = spec.bias == job::BiasKind::row;
  job.bias_bf16 = spec.bias_bf16;
  if (spec.alpha) job.alpha = make_alpha(spec);
  job.output = spec.output;
  job.layout = spec.layout;
  job.spoils = spec.spoils;
  job.claims = spec.claims;
  job.in_turn = spec.in_turn;
  job.values = to_string(spec.values);
  return job;
}

}  // namespace mxe::cosim
