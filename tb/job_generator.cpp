#include "tb/job_generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "numerics/accumulate.h"
#include "numerics/quantize.h"

namespace mxe {
namespace {

constexpr std::array<Values, 8> kAllValues = {
    Values::quantized,    Values::codes, Values::specials, Values::extremes,
    Values::cancellation, Values::tiny,  Values::huge,     Values::zeros};

bool is_finite(mx::FormatId format, uint8_t code) {
  return std::isfinite(mx::decode(format, code));
}

/// The exponent of the largest value of a format.
int emax(mx::FormatId format) { return mx::element_format(format).emax; }

uint8_t clamp_scale(int scale) { return static_cast<uint8_t>(std::clamp(scale, 0, 254)); }

template <class T, std::size_t N>
T pick(Random& random, const std::array<T, N>& choices) {
  return choices[random.uniform(0, N - 1)];
}

/// Row 0 in place of every other row.
void repeat_first_row(mx::MxTensor& tensor) {
  const std::size_t columns = tensor.scale_columns();
  for (std::size_t row = 1; row < tensor.rows; row++) {
    std::memcpy(&tensor.codes[row * tensor.k], tensor.codes.data(), tensor.k);
    std::memcpy(&tensor.scales[row * columns], tensor.scales.data(), columns);
  }
}

}  // namespace

const char* to_string(Values values) {
  switch (values) {
    case Values::quantized:
      return "quantized";
    case Values::codes:
      return "code";
    case Values::specials:
      return "special";
    case Values::extremes:
      return "extreme";
    case Values::cancellation:
      return "cancelling";
    case Values::tiny:
      return "tiny";
    case Values::huge:
      return "huge";
    case Values::zeros:
      return "zero";
  }
  return "unknown";
}

JobGenerator::JobGenerator(const Params& params, uint64_t seed, const JobMix& mix)
    : params_(params), random_(seed), mix_(mix) {}

Job JobGenerator::next() {
  for (;;) {
    const mx::FormatId a = pick(random_, mx::kAllFormats), b = pick(random_, mx::kAllFormats);
    if (mx::pair_tree_width(a, b) <= params_.tree_w) return next(a, b);
  }
}

Job JobGenerator::next(mx::FormatId format_a, mx::FormatId format_b) {
  for (;;) {
    const std::size_t m = extent(params_.rows, mix_.max_m);
    const std::size_t n =
        extent(random_.one_in(2) ? params_.num_pe : params_.num_pe * params_.acc_tiles, mix_.max_n);
    const std::size_t k =
        extent(random_.one_in(2) ? 32 : (random_.one_in(2) ? params_.b_buf_k : params_.a_slab_k),
               mix_.max_k);
    if (m * n * ((k + 31) / 32) > mix_.max_work) continue;
    return make(format_a, format_b, m, n, k, pick(random_, kAllValues));
  }
}

Job JobGenerator::make(mx::FormatId format_a, mx::FormatId format_b, std::size_t m, std::size_t n,
                       std::size_t k, Values values) {
  Job job;
  job.values = to_string(values);
  job.a = tensor(format_a, m, k, values);
  job.b = tensor(format_b, n, k, values);
  job.layout = layout();
  if (job.layout.a_one_row) repeat_first_row(job.a);
  if (job.layout.b_one_row) repeat_first_row(job.b);
  if (random_.one_in(2)) {
    job.bias_one_row = random_.one_in(3);
    job.bias.resize(job.bias_one_row ? n : m * n);
    for (float& value : job.bias) value = bias_value(values);
  }
  return job;
}

/// A size from 1 to `max`, often at a multiple of `tile` or one beside it.
std::size_t JobGenerator::extent(unsigned tile, unsigned max) {
  if (random_.one_in(3)) return random_.uniform(1, std::min(max, 2 * tile));
  if (random_.one_in(2)) return random_.uniform(1, max);
  const uint64_t multiple = random_.uniform(1, std::max(1u, max / tile)) * tile;
  return std::clamp<uint64_t>(multiple + random_.uniform(0, 2) - 1, 1, max);
}

JobLayout JobGenerator::layout() {
  const auto byte = [this] { return static_cast<unsigned>(random_.uniform(0, 63)); };
  const auto word = [this] { return static_cast<unsigned>(random_.uniform(0, 15) * 4); };
  const auto gap = [&](unsigned value) { return random_.one_in(2) ? 0 : value; };
  JobLayout l;
  l.a_offset = byte();
  l.b_offset = byte();
  l.a_scale_offset = byte();
  l.b_scale_offset = byte();
  l.c_offset = word();
  l.d_offset = word();
  l.a_gap = gap(byte());
  l.b_gap = gap(byte());
  l.a_scale_gap = gap(byte());
  l.b_scale_gap = gap(byte());
  l.c_gap = gap(word());
  l.d_gap = gap(word());
  l.a_one_row = random_.one_in(24);
  l.b_one_row = random_.one_in(24);
  return l;
}

mx::MxTensor JobGenerator::tensor(mx::FormatId format, std::size_t rows, std::size_t k,
                                  Values values) {
  if (values == Values::quantized) {
    std::vector<float> x(rows * k);
    for (float& value : x) value = normal();
    return mx::quantize_rows(x.data(), rows, k, format);
  }
  mx::MxTensor tensor;
  tensor.format = format;
  tensor.rows = rows;
  tensor.k = k;
  tensor.codes.resize(rows * k);
  tensor.scales.resize(rows * tensor.scale_columns());
  for (uint8_t& c : tensor.codes) c = code(format, values);
  for (uint8_t& s : tensor.scales) s = scale(format, values);
  if (values == Values::cancellation) cancel(tensor);
  return tensor;
}

uint8_t JobGenerator::code(mx::FormatId format, Values values) {
  const mx::ElementFormat& f = mx::element_format(format);
  const auto any = [&] { return static_cast<uint8_t>(random_.next() & f.code_mask()); };
  if (values == Values::zeros && !random_.one_in(16)) {
    return random_.one_in(2) && f.kind == mx::FormatKind::floating
               ? static_cast<uint8_t>(f.sign_mask())
               : uint8_t{0};
  }
  const bool special = values == Values::specials && random_.one_in(200);
  for (;;) {
    const uint8_t c = any();
    const bool possible = f.has_inf || f.has_nan;
    if (special && possible ? !is_finite(format, c) : is_finite(format, c)) return c;
  }
}

uint8_t JobGenerator::scale(mx::FormatId format, Values values) {
  const auto around = [this](int centre, unsigned width) {
    return clamp_scale(centre - static_cast<int>(width) +
                       static_cast<int>(random_.uniform(0, 2 * width)));
  };
  switch (values) {
    case Values::specials:
      return random_.one_in(60) ? mx::kNanScale : around(127, 10);
    case Values::extremes: {
      static constexpr std::array<uint8_t, 6> kScales{0, 1, 2, 252, 253, 254};
      if (random_.one_in(100)) return mx::kNanScale;
      return random_.one_in(3) ? around(127, 60) : pick(random_, kScales);
    }
    case Values::tiny:
      return around(127 - 70 - emax(format), 12);
    case Values::huge:
      return around(127 + 60 - emax(format), 6);
    case Values::cancellation:
      return around(127, 3);
    default:
      return around(127, random_.one_in(4) ? 40 : 4);
  }
}

/// Makes every second block the one before it, elements negated where the format allows, so that
/// exact sums vanish again and again and small remainders decide.
void JobGenerator::cancel(mx::MxTensor& tensor) {
  const uint8_t sign = static_cast<uint8_t>(mx::element_format(tensor.format).sign_mask());
  const bool floating = mx::element_format(tensor.format).kind == mx::FormatKind::floating;
  for (std::size_t row = 0; row < tensor.rows; row++) {
    const bool negate = random_.one_in(2);
    for (std::size_t i = mx::kBlockSize; i < tensor.k; i++) {
      if (i / mx::kBlockSize % 2 == 0 || random_.one_in(50)) continue;
      uint8_t c = tensor.codes[row * tensor.k + i - mx::kBlockSize];
      if (negate) c = floating ? c ^ sign : static_cast<uint8_t>(-c);
      tensor.codes[row * tensor.k + i] = c;
    }
    uint8_t* scales = &tensor.scales[row * tensor.scale_columns()];
    for (std::size_t block = 1; block < tensor.scale_columns(); block += 2) {
      if (!random_.one_in(8)) scales[block] = scales[block - 1];
    }
  }
}

float JobGenerator::bias_value(Values values) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (values == Values::specials && random_.one_in(20)) {
    return pick(random_, std::array<float, 3>{kInf, -kInf, std::nanf("")});
  }
  if (values == Values::extremes && random_.one_in(4)) {
    return pick(random_, std::array<float, 5>{0x1p-149f, -0x1p-126f, 0x1.fffffep127f, -0.0f, 1.0f});
  }
  if (values == Values::zeros) return random_.one_in(2) ? -0.0f : 0.0f;
  if (values == Values::tiny) return normal() * 0x1p-140f;
  if (values == Values::huge) return normal() * 0x1p120f;
  return normal() * 16;
}

/// About normally distributed, mean 0, variance 1.
float JobGenerator::normal() {
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += random_.real();
  return static_cast<float>(sum);
}

}  // namespace mxe
