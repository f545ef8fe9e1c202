// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/fast_blocks.h"

#include <algorithm>
#include <cmath>

#include "model/numerics/base/random.h"
#include "model/numerics/formats/bfloat16.h"

namespace mxe::numerics {
namespace {

// Rounding to nearest carries where log2f is one too high. The other roundings with
// float32_element_log2 need the exact path for mantissas from kNearTop on, whose log2f may be one
// too high, and for blocks with amax < kFarFromSubnormal, which may have elements that are
// subnormal in float32.
constexpr uint32_t kNearTop = 0x7FFF00;
constexpr uint32_t kFarFromSubnormal = 100u << 23;

bool has_kernel_format(const ElementFormat& format) {
  if (format.bits > 8) return false;
  if (format.kind == FormatKind::integer) return true;
  return format.mantissa_bits > 0 && format.max_code >> format.mantissa_bits > 0 &&
         format.emin() > -60 && format.emax < 60;
}

bool has_kernel_scale(const QuantizerOptions& options) {
  const ScaleFormat& scale = options.scale_format;
  if (scale.is_power_of_two()) return true;
  const bool rounds_up =
      options.scale_rule == ScaleRule::ceil || options.scale_rule == ScaleRule::rceil;
  return scale == ScaleFormat{4, 3, 7} && !rounds_up;
}

RealScaleParameters real_parameters(const BlockRules& rules) {
  const QuantizerOptions& options = rules.options;
  const ElementFormat& scale = rules.scale_codes;
  RealScaleParameters p;
  p.max = static_cast<float>(rules.format.max);
  p.inverse_max = 1.0f / p.max;
  p.decode = rules.tensor_decode;
  p.encode = rules.tensor_encode;
  p.limit = rules.tensor_limit / p.max;
  p.whole = rules.tensor_amax / p.max;
  p.min_scale = options.min_scale;
  // A cast to E4M3 gives NaN above the middle between the largest number and the next step.
  p.above = options.saturate_scale
                ? from_bits(kInfinity)
                : static_cast<float>(scale.max + std::ldexp(0.5, scale.emax - scale.mantissa_bits));
  return p;
}

}  // namespace

FastBlocks::FastBlocks(const BlockRules& rules, SimdLevel level, NumberType type,
                       const BlockOutput& output)
    : rules_(rules), output_(output) {
  const QuantizerOptions& options = rules.options;
  const EncodeRule rule = encode_rule(rules.format, options);
  float_kernels_ = preset_kernels(rule, options.arithmetic, level);
  kernels_ = preset_kernels(rule, options.arithmetic, level, type);
  rounds_input_ = options.bfloat16_input && type != NumberType::bfloat16;
  if (rounds_input_) {
    kernels_.encode = float_kernels_.encode;
    kernels_.encode_row = float_kernels_.encode_row;
  }
  power_of_two_ = options.scale_format.is_power_of_two();
  is_stochastic_ = options.rounding == Rounding::stochastic;
  serves_ = has_kernel_format(rules.format) && has_kernel_scale(options) && kernels_.encode &&
            (power_of_two_ || kernels_.real_scales) &&
            (options.four_over_six == FourOverSix::off || kernels_.errors);
  if (!serves_) return;
  watches_mantissas_ = options.float32_element_log2 &&
                       (is_stochastic_ || options.rounding == Rounding::toward_zero) &&
                       rules.format.kind == FormatKind::floating;
  parameters_ = encode_parameters(rules.format, options);
  decode_parameters_ = decode_parameters(rules.format, options);
  if (is_stochastic_) {
    parameters_.undecided = undecided_.data();
    set_random(0, kMost);
  }
  if (!power_of_two_) real_ = real_parameters(rules);
  if (options.four_over_six != FourOverSix::off) {
    choice_.emplace(rules, kernels_, parameters_);
  }
  zero_ = zero_scale();
  if (power_of_two_) {
    table_.emplace();
    table_->states.fill(kUnknown);
    table_->thresholds.fill(0);
    table_->set(0, 1, zero_, {});
    table_->set(kFields - 1, 0, {}, {});
  }
  if (rounds_input_) rounded_.resize(kRun * std::max<std::size_t>(options.block_size, 32));
}

// The scale of a block of finite elements with this amax > 0.
FastBlocks::Scale FastBlocks::ordinary_scale(uint32_t amax) const {
  const float largest = from_bits(amax);
  const BlockScale scale = block_scale(&largest, 1, rules_);
  Scale result;
  result.code = static_cast<uint8_t>(scale.code);
  result.value = scale.value;
  result.decode = scale.value;
  if (!std::isfinite(scale.value) || scale.zeros) return result;
  const ElementExponents exponents = element_exponents(rules_, scale);
  if (exponents.divisor < -127 || exponents.divisor > 127) return result;
  result.factor = static_cast<float>(pow2(-exponents.divisor));
  result.decode = static_cast<float>(pow2(exponents.decode));
  result.ordinary = true;
  return result;
}

// The scale of a block of zeros; ordinary if the kernels give the right codes for +0 and -0.
FastBlocks::Scale FastBlocks::zero_scale() const {
  constexpr std::size_t kZeros = 2;
  constexpr float zeros[kZeros] = {0.0f, -0.0f};
  constexpr float ones[kZeros] = {1.0f, 1.0f};
  const BlockScale scale = block_scale(zeros, kZeros, rules_);
  uint16_t expected[kZeros];
  float values[kZeros];
  quantize_elements(zeros, kZeros, rules_, scale, expected, values);
  uint8_t codes[kZeros];
  float_kernels_.encode_row(zeros, kZeros, parameters_, ones, codes);
  Scale result;
  result.code = static_cast<uint8_t>(scale.code);
  result.value = scale.value;
  result.decode = power_of_two_ && std::isfinite(scale.value)
                      ? static_cast<float>(pow2(element_exponents(rules_, scale).decode))
                      : scale.value;
  result.ordinary = std::isfinite(scale.value);
  for (std::size_t i = 0; i < kZeros; i++) {
    const float value = value_of(codes[i], zeros[i], 1, rules_.code_scale(result.decode));
    const bool same = codes[i] == expected[i] && to_bits(value) == to_bits(values[i]);
    result.ordinary = result.ordinary && same;
  }
  return result;
}

// Finds the amax at which the scale changes in a binade (at most once), by bisection.
void FastBlocks::find_binade(uint32_t field) {
  const auto same = [](const Scale& a, const Scale& b) {
    return a.ordinary == b.ordinary && a.code == b.code && to_bits(a.value) == to_bits(b.value) &&
           a.factor == b.factor && a.decode == b.decode;
  };
  uint32_t low = field << 23;
  uint32_t high = low | kMantissaBits;
  const Scale lowest = ordinary_scale(low);
  const Scale highest = ordinary_scale(high);
  if (!same(lowest, highest)) {
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      (same(ordinary_scale(middle), lowest) ? low : high) = middle;
    }
    // The binade has a third scale: skip all of its blocks.
    if (!same(ordinary_scale(high), highest)) {
      table_->set(field, high, {}, {});
      return;
    }
  }
  table_->set(field, high, lowest, highest);
}

void FastBlocks::begin_pattern(uint32_t field) {
  const std::size_t i = 2 * field;
  const uint32_t bits = field << 23;
  const bool changes = table_->codes[i] != table_->codes[i + 1];
  PowerScaleParameters& p = pattern_;
  p.addend = changes ? (bits + (1u << 23)) - table_->thresholds[field] : 0;
  p.factor = to_bits(table_->factors[i]) + bits;
  p.value = to_bits(table_->values[i]) - bits;
  p.decode = to_bits(table_->decodes[i]) - bits;
  p.code = table_->codes[i] - field;
}

bool FastBlocks::continues_pattern(uint32_t field) {
  if (table_->states[2 * field] == kUnknown) find_binade(field);
  const PowerScaleParameters& p = pattern_;
  const auto fits = [&](std::size_t i, uint32_t n) {
    const uint32_t bits = n << 23;
    return table_->states[i] == kOrdinary && to_bits(table_->factors[i]) == p.factor - bits &&
           to_bits(table_->values[i]) == p.value + bits &&
           to_bits(table_->decodes[i]) == p.decode + bits &&
           table_->codes[i] == static_cast<uint8_t>(p.code + n);
  };
  if (p.addend == 0) return fits(2 * field, field) && fits(2 * field + 1, field);
  const uint32_t threshold = ((field + 1) << 23) - p.addend;
  return table_->thresholds[field] == threshold && fits(2 * field, field) &&
         fits(2 * field + 1, field + 1);
}

// Tabulates a binade. Extends the pattern toward it while the binades in between match.
void FastBlocks::find_out(uint32_t field) {
  find_binade(field);
  uint32_t first = pattern_.lowest >> 23;
  uint32_t last = (pattern_.lowest + pattern_.span) >> 23;
  if (pattern_.lowest == PowerScaleParameters::kNoAmax) {
    begin_pattern(field);
    if (!continues_pattern(field)) return;
    first = last = field;
  }
  while (first > field && continues_pattern(first - 1)) first--;
  while (last < field && continues_pattern(last + 1)) last++;
  pattern_.lowest = first << 23;
  pattern_.span = ((last - first + 1) << 23) - 1;
}

void FastBlocks::ScaleTable::set(std::size_t field, uint32_t threshold, const Scale& below,
                                 const Scale& above) {
  thresholds[field] = threshold;
  for (const std::size_t i : {2 * field, 2 * field + 1}) {
    const Scale& scale = i % 2 == 0 ? below : above;
    factors[i] = scale.factor;
    values[i] = scale.value;
    decodes[i] = scale.decode;
    codes[i] = scale.code;
    states[i] = scale.ordinary ? kOrdinary : kSkipped;
  }
}

void FastBlocks::round_amaxes(std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; block++) {
    uint32_t& amax = run_.amax[block];
    if (is_finite_bits(amax)) amax = widened_bits(bfloat16_bits(amax));
  }
}

bool FastBlocks::look_up_scales(std::size_t blocks) {
  const ScaleTable& table = *table_;
  RealScales& scales = run_.scales;
  unsigned states = 0;
  for (std::size_t block = 0; block < blocks; block++) {
    const std::size_t i = table.index(run_.amax[block]);
    scales.factors[block] = table.factors[i];
    scales.values[block] = table.values[i];
    scales.codes[block] = table.codes[i];
    run_.decodes[block] = table.decodes[i];
    states |= table.states[i];
  }
  return states == kOrdinary;
}

bool FastBlocks::needs_exact_log2(std::size_t blocks) const {
  uint32_t found = 0;
  for (std::size_t block = 0; block < blocks; block++) {
    const uint32_t amax = run_.amax[block];
    // Bit 31 is the sign of the difference.
    found |= (kNearTop - 1 - run_.mantissas[block]) | ((amax - kFarFromSubnormal) & (0 - amax));
  }
  return found >> 31 != 0;
}

void FastBlocks::derive_scales(std::size_t blocks, std::size_t first,
                               std::vector<std::size_t>& skipped) {
  RealScales& scales = run_.scales;
  const bool known =
      kernels_.power_scales(run_.amax.data(), blocks, pattern_, scales.codes.data(),
                            scales.values.data(), scales.factors.data(), run_.decodes.data()) ||
      look_up_scales(blocks);
  if (known && !(watches_mantissas_ && needs_exact_log2(blocks))) return;
  bool found_out = false;
  for (std::size_t block = 0; block < blocks; block++) {
    const uint32_t amax = run_.amax[block];
    if (table_->states[table_->index(amax)] != kUnknown) continue;
    find_out(amax >> 23);
    found_out = true;
  }
  if (found_out) look_up_scales(blocks);
  for (std::size_t block = 0; block < blocks; block++) {
    const uint32_t amax = run_.amax[block];
    bool ordinary = table_->states[table_->index(amax)] == kOrdinary;
    if (watches_mantissas_ && amax != 0) {
      ordinary = ordinary && run_.mantissas[block] < kNearTop && amax >= kFarFromSubnormal;
    }
    if (!ordinary) skipped.push_back(first + block);
  }
}

void FastBlocks::real_scales(float factor, std::size_t blocks, const BlockRules* block_rules,
                             RealScales& scales) {
  RealScaleParameters real = real_;
  real.factor = factor;
  const std::size_t step = block_rules ? 1 : blocks;
  for (std::size_t block = 0; block < blocks; block += step) {
    if (block_rules) {
      real.decode = block_rules[block].tensor_decode;
      real.encode = block_rules[block].tensor_encode;
      real.whole = block_rules[block].tensor_amax / real.max;
    }
    kernels_.real_scales(&run_.amax[block], step, real, &scales.codes[block], &scales.values[block],
                         &scales.factors[block]);
  }
}

void FastBlocks::derive_real_scales(const BlockElements& elements, std::size_t first,
                                    std::vector<std::size_t>& skipped,
                                    const BlockRules* block_rules) {
  const std::size_t blocks = elements.blocks;
  RealScales& scales = run_.scales;
  real_scales(1, blocks, block_rules, scales);
  if (choice_) {
    real_scales(1.5f, blocks, block_rules, four_);
    choice_->choose(elements, block_rules, four_, scales);
  }
  for (std::size_t block = 0; block < blocks; block++) {
    const uint32_t amax = run_.amax[block];
    const float factor = scales.factors[block];
    bool ordinary = is_finite_bits(amax) && std::isfinite(factor) && factor > 0;
    if (amax == 0) {
      ordinary = zero_.ordinary;
      scales.codes[block] = zero_.code;
      scales.values[block] = zero_.value;
      scales.factors[block] = 1;
    }
    // zero_ assumes a finite tensor scale.
    if (block_rules) ordinary = ordinary && std::isfinite(block_rules[block].tensor_decode);
    run_.decodes[block] = scales.values[block];
    if (!ordinary) skipped.push_back(first + block);
  }
}

void FastBlocks::write_scales(std::size_t blocks, std::size_t scale_at) {
  std::copy_n(run_.scales.values.begin(), blocks, output_.scales + scale_at);
  if (output_.scale_codes)
    std::copy_n(run_.scales.codes.begin(), blocks, output_.scale_codes + scale_at);
}

float FastBlocks::value_of(uint8_t code, float x, float factor, const CodeScale& scale) const {
  float value = rules_.values[code];
  if (value == 0 && rules_.format.kind == FormatKind::integer) {
    const bool negative = (to_bits(x) >> 31) != 0;
    const bool vanishes = x * factor == 0;
    bool keeps = negative;
    if (rules_.options.zero_sign == ZeroSign::value) keeps = negative && !vanishes;
    if (rules_.options.zero_sign == ZeroSign::positive) keeps = false;
    if (rules_.options.zero_sign == ZeroSign::negative) keeps = negative || vanishes;
    if (rules_.options.zero_sign == ZeroSign::zero_only) keeps = negative && vanishes;
    if (keeps && !rules_.options.unsigned_zero_values) value = -0.0f;
  }
  return scale.apply(value);
}

void FastBlocks::set_code_scales(std::size_t blocks, const BlockRules* block_rules) {
  for (std::size_t block = 0; block < blocks; block++) {
    const CodeScale scale =
        (block_rules ? block_rules[block] : rules_).code_scale(run_.decodes[block]);
    run_.first_scales[block] = scale.first;
    run_.second_scales[block] = scale.second;
  }
}

void FastBlocks::set_random(std::size_t first, std::size_t count) {
  random_.resize(std::max(random_.size(), count));
  parameters_.random = random_.data();
  kernels_.random(mxe::mix64(rules_.options.seed) + first, count, random_.data());
}

void FastBlocks::skip_undecided(std::size_t blocks, std::size_t first,
                                std::vector<std::size_t>& skipped) {
  for (std::size_t block = 0; block < blocks; block++) {
    if (undecided_[block] != 0) skipped.push_back(first + block);
  }
  undecided_.fill(0);
}

const float* FastBlocks::floats(const FloatArray& x, std::size_t count) {
  if (x.type() == NumberType::float32) return static_cast<const float*>(x.data());
  widened_.resize(std::max(widened_.size(), count));
  kernels_.widen(x.data(), count, widened_.data());
  return widened_.data();
}

void FastBlocks::write_values(const FloatArray& in, std::size_t blocks, std::size_t size,
                              std::size_t at) {
  const uint8_t* codes = output_.codes + at;
  float* out = output_.dequantized + at;
  if (rules_.format.kind == FormatKind::floating) {
    kernels_.decode(codes, blocks, size, decode_parameters_, run_.first_scales.data(),
                    run_.second_scales.data(), out);
    return;
  }
  // Integer codes do not contain the sign of zeros.
  const float* x = floats(in, blocks * size);
  for (std::size_t block = 0; block < blocks; block++, codes += size, x += size, out += size) {
    const float factor = run_.scales.factors[block];
    const CodeScale scale = {run_.first_scales[block], run_.second_scales[block]};
    for (std::size_t i = 0; i < size; i++) out[i] = value_of(codes[i], x[i], factor, scale);
  }
}

void FastBlocks::write_row_values(const FloatArray& in, std::size_t columns, std::size_t at) {
  const uint8_t* codes = output_.codes + at;
  float* out = output_.dequantized + at;
  if (rules_.format.kind == FormatKind::floating) {
    kernels_.decode_row(codes, columns, decode_parameters_, run_.first_scales.data(),
                        run_.second_scales.data(), out);
    return;
  }
  const float* x = floats(in, columns);
  for (std::size_t i = 0; i < columns; i++) {
    out[i] = value_of(codes[i], x[i], run_.scales.factors[i],
                      {run_.first_scales[i], run_.second_scales[i]});
  }
}

void FastBlocks::line(const FloatArray& x, std::size_t at, std::size_t blocks, std::size_t size,
                      std::size_t scale_at, std::vector<std::size_t>& skipped) {
  for (std::size_t first = 0; first < blocks; first += kRun) {
    const std::size_t run = std::min(kRun, blocks - first);
    const std::size_t begin = at + first * size;
    FloatArray in = x.from(begin);
    kernels_.amax(in.data(), run, size, kMagnitudeBits, run_.amax.data());
    if (watches_mantissas_) {
      kernels_.amax(in.data(), run, size, kMantissaBits, run_.mantissas.data());
    }
    if (rounds_input_) {
      round_amaxes(run);
      kernels_.round_bfloat16(in.data(), run * size, rounded_.data());
      in = rounded_.data();
    }
    if (power_of_two_) {
      derive_scales(run, first, skipped);
    } else {
      derive_real_scales({in, size, 1, run, size, false}, first, skipped);
    }
    if (is_stochastic_) set_random(begin, run * size);
    kernels_.encode(in.data(), run, size, parameters_, run_.scales.factors.data(),
                    output_.codes + begin);
    if (is_stochastic_) skip_undecided(run, first, skipped);
    write_scales(run, scale_at + first);
    if (!output_.dequantized) continue;
    set_code_scales(run);
    write_values(in, run, size, begin);
  }
}

void FastBlocks::columns(const FloatArray& x, std::size_t at, std::size_t stride, std::size_t rows,
                         std::size_t columns, std::size_t scale_at,
                         std::vector<std::size_t>& skipped, const BlockRules* block_rules) {
  const FloatArray top = x.from(at);
  kernels_.amax_columns(top.data(), stride, rows, columns, kMagnitudeBits, run_.amax.data());
  if (watches_mantissas_) {
    kernels_.amax_columns(top.data(), stride, rows, columns, kMantissaBits, run_.mantissas.data());
  }
  if (rounds_input_) round_amaxes(columns);
  if (power_of_two_) {
    derive_scales(columns, 0, skipped);
  } else {
    derive_real_scales({top, stride, rows, columns, 1, true}, 0, skipped, block_rules);
  }
  if (output_.dequantized) set_code_scales(columns, block_rules);
  for (std::size_t row = 0; row < rows; row++) {
    const std::size_t begin = at + row * stride;
    if (is_stochastic_) set_random(begin, columns);
    FloatArray in = x.from(begin);
    if (rounds_input_) {
      kernels_.round_bfloat16(in.data(), columns, rounded_.data());
      in = rounded_.data();
    }
    kernels_.encode_row(in.data(), columns, parameters_, run_.scales.factors.data(),
                        output_.codes + begin);
    if (output_.dequantized) write_row_values(in, columns, begin);
  }
  if (is_stochastic_) skip_undecided(columns, 0, skipped);
  write_scales(columns, scale_at);
}

void FastBlocks::amax_of_tiles(const FloatArray& x, const Tiles& tiles, std::size_t first,
                               std::size_t run) {
  std::array<uint32_t, kRun> row_amax;
  std::fill_n(run_.amax.begin(), run, 0u);
  for (std::size_t row = 0; row < tiles.rows; row++) {
    const FloatArray in = x.from(tiles.at + row * tiles.stride + first * tiles.size);
    kernels_.amax(in.data(), run, tiles.size, kMagnitudeBits, row_amax.data());
    for (std::size_t i = 0; i < run; i++) run_.amax[i] = std::max(run_.amax[i], row_amax[i]);
  }
}

void FastBlocks::encode_tiles(const FloatArray& x, const Tiles& tiles, std::size_t first,
                              std::size_t run) {
  if (output_.dequantized) set_code_scales(run);
  for (std::size_t row = 0; row < tiles.rows; row++) {
    const std::size_t begin = tiles.at + row * tiles.stride + first * tiles.size;
    if (is_stochastic_) set_random(begin, run * tiles.size);
    kernels_.encode(x.from(begin).data(), run, tiles.size, parameters_, run_.scales.factors.data(),
                    output_.codes + begin);
    if (output_.dequantized) write_values(x.from(begin), run, tiles.size, begin);
  }
}

BlockElements FastBlocks::elements_of(const FloatArray& x, const Tiles& tiles, std::size_t first,
                                      std::size_t run) const {
  return {x.from(tiles.at + first * tiles.size),
          tiles.stride,
          tiles.rows,
          run,
          tiles.size,
          tiles.across};
}

void FastBlocks::write_tile_scales(const Tiles& tiles, std::size_t first, std::size_t run) {
  if (!tiles.across) {
    for (std::size_t row = 0; row < tiles.rows; row++) {
      write_scales(run, tiles.scale_at + row * tiles.scale_stride + first);
    }
    return;
  }
  for (std::size_t i = 0; i < run * tiles.size; i++) {
    const std::size_t scale_at = tiles.scale_at + first * tiles.size + i;
    output_.scales[scale_at] = run_.scales.values[i / tiles.size];
    if (output_.scale_codes) output_.scale_codes[scale_at] = run_.scales.codes[i / tiles.size];
  }
}

void FastBlocks::tiles(const FloatArray& x, const Tiles& tiles, std::vector<std::size_t>& skipped) {
  for (std::size_t first = 0; first < tiles.blocks; first += kRun) {
    const std::size_t run = std::min(kRun, tiles.blocks - first);
    amax_of_tiles(x, tiles, first, run);
    if (power_of_two_) {
      derive_scales(run, first, skipped);
    } else {
      derive_real_scales(elements_of(x, tiles, first, run), first, skipped);
    }
    encode_tiles(x, tiles, first, run);
    if (is_stochastic_) skip_undecided(run, first, skipped);
    write_tile_scales(tiles, first, run);
  }
}

}  // namespace mxe::numerics
