// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/presets.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace mx {
namespace {

using Apply = std::function<void(const ElementFormat&, QuantizerOptions&)>;

// Which formats a preset's software has.
enum class Scope : uint8_t { all, floating, e2m1, nvfp4 };

struct Preset {
  std::string name;
  Scope scope;
  Apply apply;
};

bool is_integer(const ElementFormat& format) { return format.kind == FormatKind::integer; }

bool is_shaped(const ElementFormat& format, int exponent_bits, int mantissa_bits) {
  return !is_integer(format) && format.exponent_bits == exponent_bits &&
         format.mantissa_bits == mantissa_bits;
}

bool is_fp8(const ElementFormat& format) { return format.has_nan; }

// Scale exponents beyond E8M0 that a float32 scale still holds.
constexpr ExponentRange kUnclamped = {-1000, 1000};
constexpr int kSmallestFloatExponent = -149;

void microxcaling(QuantizerOptions& o, Rounding rounding) {
  o.log2 = Log2Source::float32;
  o.zero_log2 = -126;
  o.above_range = RangeRule::poison;
  o.rounding = rounding;
  o.float32_element_log2 = true;
  o.zero_sign = ZeroSign::value;
}

void microxcaling_cuda(QuantizerOptions& o, Rounding rounding) {
  o.log2 = Log2Source::field;
  o.rounding = rounding;
  o.zero_sign = ZeroSign::positive;
}

void torchmx(const ElementFormat& format, QuantizerOptions& o) {
  o.bfloat16_input = true;
  o.log2 = Log2Source::field;
  if (is_integer(format)) {
    o.element_shift = format.mantissa_bits;
    o.zero_sign = ZeroSign::positive;
  }
}

void torchao(QuantizerOptions& o, ScaleRule rule) {
  o.scale_rule = rule;
  o.log2 = rule == ScaleRule::rceil ? Log2Source::exact : Log2Source::field;
  o.quotient = Quotient::reciprocal;
  o.above_range = RangeRule::poison;
  o.poison_codes = PoisonCodes::nan;
}

void torchao_old(QuantizerOptions& o, ScaleRule rule) {
  const bool rceil = rule == ScaleRule::rceil;
  o.scale_rule = rule;
  o.log2 = rceil ? Log2Source::float32 : Log2Source::field;
  o.quotient = Quotient::division;
  o.inf = rceil ? SpecialRule::largest_scale : SpecialRule::top_exponent;
  o.above_range = rceil ? RangeRule::clamp : RangeRule::poison;
  o.poison_codes = rceil ? PoisonCodes::nan : PoisonCodes::signed_zero;
  o.lowest_divisor = rceil ? LowestDivisor::one : LowestDivisor::smallest_normal;
}

void quark_onnx(const ElementFormat& format, QuantizerOptions& o, Rounding integer_rounding) {
  o.log2 = Log2Source::field;
  o.nan = SpecialRule::ignore;
  o.inf = SpecialRule::ignore;
  o.zero_log2 = -127;
  o.exponent_range = kUnclamped;
  o.zero_sign = ZeroSign::positive;
  o.nan_elements = NanElement::pass_through;
  o.inf_elements = InfElement::pass_through;
  if (is_integer(format)) {
    o.rounding = integer_rounding;
    o.zero_sign = integer_rounding == Rounding::nearest_even ? ZeroSign::zero_only : ZeroSign::keep;
    o.full_integer_range = true;
  }
}

void quark_torch(const ElementFormat& format, QuantizerOptions& o, ScaleRule rule) {
  o.scale_rule = rule;
  o.zero_sign = is_fp8(format) ? ZeroSign::keep : ZeroSign::positive;
  if (is_integer(format)) o.min_integer_step = -126;
  if (!is_fp8(format) && !is_integer(format)) o.inf_elements = InfElement::pass_through;
  if (rule == ScaleRule::even) {
    o.log2 = Log2Source::field;
    if (is_integer(format)) o.even_bits = 8;
    o.zero_log2 = -126;
    o.inf = SpecialRule::largest_scale;
    return;
  }
  o.log2 = Log2Source::float32;
  o.inf = SpecialRule::infinite;
  o.exponent_range = ExponentRange{kSmallestFloatExponent, 127};
  o.above_range = RangeRule::infinite;
  o.below_range_exponent = -23;
}

void pychop(QuantizerOptions& o) {
  o.walk = BlockWalk::flat;
  o.log2 = Log2Source::float32;
  o.nan = SpecialRule::ignore;
  o.all_nan_poisons = true;
  o.inf = SpecialRule::largest_scale;
  o.full_integer_range = true;
  o.nan_elements = NanElement::pass_through;
}

void ascend(const ElementFormat& format, QuantizerOptions& o) {
  const bool fp4 = format.bits == 4;
  o.log2 = fp4 ? Log2Source::float32 : Log2Source::exact;
  o.nan = fp4 ? SpecialRule::poison : SpecialRule::top_exponent;
  o.inf = fp4 ? SpecialRule::largest_scale : SpecialRule::top_exponent;
  o.zero_threshold = 1e-12f;
  o.zero_exponent = 0;
  o.rounding = Rounding::nearest_zero;
  o.zero_sign = ZeroSign::positive;
}

void modelopt_mxfp4(QuantizerOptions& o) {
  o.scale_rule = ScaleRule::rceil;
  o.log2 = Log2Source::float32;
  o.quotient = Quotient::division;
  o.nan = SpecialRule::lowest_scale;
  o.inf = SpecialRule::lowest_scale;
  o.rounding = Rounding::nearest_zero;
  o.zero_sign = ZeroSign::negative;
}

void modelopt_cuda(const ElementFormat& format, QuantizerOptions& o, bool nv) {
  o.scale_rule = nv ? ScaleRule::rceil : ScaleRule::floor;
  o.quotient = Quotient::division;
  o.nan = SpecialRule::ignore;
  o.inf = SpecialRule::largest_float;
  o.zero_exponent = 0;
  o.nan_elements = NanElement::negative_largest;
  if (is_integer(format)) {
    o.nan_elements = NanElement::largest;
    o.element_shift = format.mantissa_bits;
  }
  // This E1M2 has bias 0; the bias 1 of mxfp4_e1m2 is half of it.
  if (is_shaped(format, 1, 2)) o.element_shift = format.bias;
}

void nvfp4(QuantizerOptions& o) {
  o.block_size = 16;
  o.scale_format = parse_scale_format("e4m3");
  o.inf = SpecialRule::top_exponent;
}

void nvfp4_torchao(QuantizerOptions& o, bool two_levels) {
  nvfp4(o);
  o.arithmetic = two_levels ? ScaleArithmetic::two_reciprocals : ScaleArithmetic::reciprocal;
  o.uses_tensor_scale = two_levels;
  o.min_scale = 0x1p-6f;
}

void nvfp4_modelopt(QuantizerOptions& o) {
  nvfp4(o);
  o.arithmetic = ScaleArithmetic::product;
  o.uses_tensor_scale = true;
  o.saturate_scale = false;
  o.zero_scale = 1.0f;
  o.zero_sign = ZeroSign::value;
  o.nan_elements = NanElement::largest;
}

void nvfp4_te(QuantizerOptions& o) {
  nvfp4(o);
  o.arithmetic = ScaleArithmetic::encode_factor;
  o.uses_tensor_scale = true;
  o.zero_sign = ZeroSign::value;
}

// Blocks of 16 with power-of-two scales, as Transformer Engine offers beside E4M3.
void nvfp4_te_pow2(QuantizerOptions& o) {
  o.block_size = 16;
  o.scale_rule = ScaleRule::rceil;
  o.log2 = Log2Source::float32;
  o.quotient = Quotient::division;
  o.inf = SpecialRule::largest_scale;
  o.zero_sign = ZeroSign::value;
}

void add_rules(
    std::vector<Preset>& presets, const std::string& prefix, Scope scope, std::size_t count,
    const std::function<void(const ElementFormat&, QuantizerOptions&, ScaleRule)>& apply) {
  for (std::size_t i = 0; i < count; i++) {
    const ScaleRule rule = kAllScaleRules[i];
    presets.push_back({prefix + scale_rule_name(rule), scope,
                       [apply, rule](const ElementFormat& format, QuantizerOptions& o) {
                         apply(format, o, rule);
                       }});
  }
}

void add_microxcaling(std::vector<Preset>& presets) {
  constexpr std::pair<const char*, Rounding> kPython[] = {
      {"nearest", Rounding::nearest_away_float32},
      {"even", Rounding::nearest_even_float32},
      {"floor", Rounding::toward_zero}};
  constexpr std::pair<const char*, Rounding> kCuda[] = {{"nearest", Rounding::nearest_away},
                                                        {"even", Rounding::nearest_even},
                                                        {"floor", Rounding::toward_zero}};
  for (const auto& [name, rounding] : kPython) {
    presets.push_back({fmt::format("microxcaling-{}", name), Scope::all,
                       [rounding = rounding](const ElementFormat&, QuantizerOptions& o) {
                         microxcaling(o, rounding);
                       }});
  }
  presets.push_back(
      {"microxcaling-even-flush", Scope::all, [](const ElementFormat&, QuantizerOptions& o) {
         microxcaling(o, Rounding::nearest_even_float32);
         o.flush_subnormal_blocks = true;
       }});
  for (const auto& [name, rounding] : kCuda) {
    presets.push_back({fmt::format("microxcaling-cuda-{}", name), Scope::all,
                       [rounding = rounding](const ElementFormat&, QuantizerOptions& o) {
                         microxcaling_cuda(o, rounding);
                       }});
  }
}

void add_quark_onnx(std::vector<Preset>& presets) {
  constexpr std::pair<const char*, Rounding> kModes[] = {
      {"quark-onnx", Rounding::nearest_even},
      {"quark-onnx-std", Rounding::nearest_away},
      {"quark-onnx-dpu", Rounding::nearest_up},
      {"quark-onnx-py3", Rounding::nearest_even}};
  for (const auto& [name, rounding] : kModes) {
    presets.push_back(
        {name, Scope::all, [rounding = rounding](const ElementFormat& format, QuantizerOptions& o) {
           quark_onnx(format, o, rounding);
         }});
  }
}

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  auto add = [&presets](const char* name, Scope scope, Apply apply) {
    presets.push_back({name, scope, std::move(apply)});
  };
  using F = const ElementFormat&;
  using O = QuantizerOptions&;
  add("ocp", Scope::all, [](F, O) {});
  add_rules(presets, "ocp-", Scope::all, 4, [](F, O o, ScaleRule r) { o.scale_rule = r; });
  add_microxcaling(presets);
  add("torchmx", Scope::all, torchmx);
  add_rules(presets, "torchao-", Scope::floating, 4, [](F, O o, ScaleRule r) { torchao(o, r); });
  add_rules(presets, "torchao_old-", Scope::floating, 4,
            [](F, O o, ScaleRule r) { torchao_old(o, r); });
  add_quark_onnx(presets);
  add_rules(presets, "quark-torch-", Scope::all, 3, quark_torch);
  add("pychop", Scope::all, [](F f, O o) {
    pychop(o);
    o.zero_sign = is_integer(f) ? ZeroSign::keep : ZeroSign::positive;
  });
  add("ascend", Scope::floating, ascend);
  add("modelopt-mxfp4", Scope::e2m1, [](F, O o) { modelopt_mxfp4(o); });
  add("modelopt-cuda-nv", Scope::all, [](F f, O o) { modelopt_cuda(f, o, true); });
  add("modelopt-cuda-ocp", Scope::all, [](F f, O o) { modelopt_cuda(f, o, false); });
  add("nvfp4-torchao1", Scope::nvfp4, [](F, O o) { nvfp4_torchao(o, false); });
  add("nvfp4-torchao2", Scope::nvfp4, [](F, O o) { nvfp4_torchao(o, true); });
  add("nvfp4-modelopt", Scope::nvfp4, [](F, O o) { nvfp4_modelopt(o); });
  add("nvfp4-te", Scope::nvfp4, [](F, O o) { nvfp4_te(o); });
  add("nvfp4-te-pow2", Scope::nvfp4, [](F, O o) { nvfp4_te_pow2(o); });
  return presets;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> table = make_presets();
  return table;
}

void check_scope(const Preset& preset, std::string_view format_name, const ElementFormat& format) {
  const char* allowed = nullptr;
  switch (preset.scope) {
    case Scope::all:
      break;
    case Scope::floating:
      allowed = is_integer(format) ? "floating-point formats" : nullptr;
      break;
    case Scope::e2m1:
      allowed = is_shaped(format, 2, 1) ? nullptr : "mxfp4_e2m1";
      break;
    case Scope::nvfp4:
      allowed = is_shaped(format, 2, 1) ? nullptr : "nvfp4";
      break;
  }
  if (preset.scope != Scope::nvfp4 && format_name == "nvfp4") allowed = "formats other than nvfp4";
  if (allowed) {
    throw Error(fmt::format("preset '{}' does not produce '{}' (allowed: {})", preset.name,
                            format_name, allowed));
  }
}

// Reads a one- or two-digit number at `at` and moves `at` behind it; -1 if there is none.
int number_at(std::string_view text, std::size_t& at) {
  int value = -1;
  for (std::size_t digits = 0; digits < 2 && at < text.size() && text[at] >= '0' && text[at] <= '9';
       digits++, at++) {
    value = (value < 0 ? 0 : value * 10) + (text[at] - '0');
  }
  return value;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

ElementFormat parse_any_format(std::string_view name) {
  if (name == "nvfp4") return element_format(FormatId::mxfp4_e2m1);
  std::string allowed;
  for (const FormatId id : kAllFormats) {
    if (element_format(id).name == name) return element_format(id);
    allowed += element_format(id).name + ", ";
  }
  std::size_t at = 1;
  if (name.substr(0, 3) == "int") {
    at = 3;
    const int bits = number_at(name, at);
    if (bits >= 0 && at == name.size()) return make_integer_format(std::string(name), bits);
  } else if (!name.empty() && name[0] == 'e') {
    const int exponent_bits = number_at(name, at);
    if (exponent_bits >= 0 && at < name.size() && name[at] == 'm') {
      at++;
      const int mantissa_bits = number_at(name, at);
      if (mantissa_bits >= 0 && at == name.size()) {
        // Fields that make_float_format rejects have no bias to compute.
        const bool possible = exponent_bits >= 1 && exponent_bits <= 7;
        const int bias = possible ? (1 << (exponent_bits - 1)) - 1 : 0;
        return make_float_format(std::string(name), exponent_bits, mantissa_bits, bias,
                                 Specials::none);
      }
    }
  }
  throw Error(fmt::format("unknown format '{}' (allowed: {}nvfp4, eXmY, intN)", name, allowed));
}

Quantizer make_quantizer(std::string_view format, std::string_view preset) {
  if (format == "nvfp4" && preset == "ocp") preset = "nvfp4-torchao2";
  Quantizer quantizer{parse_any_format(format), {}};
  std::string allowed;
  for (const Preset& candidate : presets()) {
    if (candidate.name == preset) {
      check_scope(candidate, format, quantizer.format);
      candidate.apply(quantizer.format, quantizer.options);
      return quantizer;
    }
    allowed += (allowed.empty() ? "" : ", ") + candidate.name;
  }
  throw Error(fmt::format("unknown preset '{}' (allowed: {})", preset, allowed));
}

}  // namespace mx
