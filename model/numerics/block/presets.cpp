// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/block/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace mxe::numerics {
namespace {

using Apply = std::function<void(const ElementFormat&, QuantizerOptions&)>;

enum class Scope : uint8_t { all, floating, e2m1, e4m3, nvfp4 };

struct Preset {
  std::string name;
  Scope scope;
  std::string release;
  Apply apply;
};

constexpr const char* kOcp = "OCP MX v1.0";
constexpr const char* kMicroxcaling = "microxcaling 7bc4195 (August 2024)";
constexpr const char* kTorchao = "torchao main 36027d82 (August 2026)";
constexpr const char* kTorchaoOld = "torchao up to 0.18.0";
constexpr const char* kTorchaoNvfp4 = "torchao 0.18.0 and main 36027d82 (August 2026)";
constexpr const char* kQuark = "AMD Quark 0.13";
constexpr const char* kModelopt = "ModelOpt 0.47.0";
constexpr const char* kModeloptBoth = "ModelOpt 5a4242f (December 2025) and 0.47.0";
constexpr const char* kModeloptCuda = "ModelOpt 5a4242f (December 2025), CUDA kernel";
constexpr const char* kCompressedTensors = "compressed-tensors 0.20.0, float32 on the CPU";
constexpr const char* kTe = "Transformer Engine d0067d0 (August 2026), reference";

bool is_integer(const ElementFormat& format) { return format.kind == FormatKind::integer; }

bool is_shaped(const ElementFormat& format, int exponent_bits, int mantissa_bits) {
  return !is_integer(format) && format.exponent_bits == exponent_bits &&
         format.mantissa_bits == mantissa_bits;
}

bool is_fp8(const ElementFormat& format) { return format.has_nan; }

// No limit: a float32 scale may lie outside E8M0's range.
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
  o.above_range = RangeRule::poison;
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

void modelopt_mxfp8(QuantizerOptions& o) {
  o.scale_rule = ScaleRule::rceil;
  o.log2 = Log2Source::float32;
  o.quotient = Quotient::division;
  o.nan = SpecialRule::smallest_scale;
  o.inf = SpecialRule::largest_scale;
  o.nan_elements = NanElement::nan_code;
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
  // ModelOpt's E1M2 has bias 0: its values are twice those of mxfp4_e1m2 (bias 1).
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
  o.value_order = ValueOrder::scales_first;
  o.tensor_specials = true;
}

void nvfp4_modelopt(QuantizerOptions& o) {
  nvfp4(o);
  o.arithmetic = ScaleArithmetic::product;
  o.uses_tensor_scale = true;
  o.saturate_scale = false;
  o.zero_scale = 1.0f;
  o.zero_sign = ZeroSign::value;
  o.nan_elements = NanElement::largest;
  o.value_order = ValueOrder::scales_first;
  o.tensor_specials = true;
  o.unsigned_zero_values = true;
}

// nvfp4_modelopt() with block scales clamped to the range of positive E4M3 numbers.
void nvfp4_modelopt_clamped(QuantizerOptions& o) {
  nvfp4_modelopt(o);
  o.min_scale = 0x1p-9f;
  o.saturate_scale = true;
}

// ModelOpt chooses a scale by calibration; this preset chooses per block by the squared error.
void nvfp4_modelopt_4over6(QuantizerOptions& o) {
  nvfp4_modelopt_clamped(o);
  o.arithmetic = ScaleArithmetic::normalized;
  o.four_over_six = FourOverSix::squared;
  o.tensor_scale_limit = 256.0f;
}

// Its tensor scale is g = (1 / amax) * 2688, a divisor.
void nvfp4_compressed_tensors(QuantizerOptions& o) {
  nvfp4(o);
  o.arithmetic = ScaleArithmetic::encode_division;
  o.uses_tensor_scale = true;
  o.zero_scale = 0.125f;
  o.zero_sign = ZeroSign::value;
  o.value_order = ValueOrder::division;
  o.tensor_specials = true;
}

void nvfp4_te(QuantizerOptions& o) {
  nvfp4(o);
  o.arithmetic = ScaleArithmetic::encode_factor;
  o.uses_tensor_scale = true;
  o.zero_sign = ZeroSign::value;
  o.value_order = ValueOrder::amax_first;
  o.tensor_specials = true;
}

void nvfp4_te_4over6(QuantizerOptions& o, FourOverSix error) {
  nvfp4_te(o);
  o.arithmetic = ScaleArithmetic::encode_quotient;
  o.four_over_six = error;
  o.tensor_scale_limit = 256.0f;
}

// Transformer Engine's variant with power-of-two scales instead of E4M3.
void nvfp4_te_pow2(QuantizerOptions& o) {
  o.block_size = 16;
  o.scale_rule = ScaleRule::rceil;
  o.log2 = Log2Source::float32;
  o.quotient = Quotient::division;
  o.inf = SpecialRule::largest_scale;
  o.zero_sign = ZeroSign::value;
}

void add_rules(
    std::vector<Preset>& presets, const std::string& prefix, Scope scope, const char* release,
    std::size_t count,
    const std::function<void(const ElementFormat&, QuantizerOptions&, ScaleRule)>& apply) {
  for (std::size_t i = 0; i < count; i++) {
    const ScaleRule rule = kAllScaleRules[i];
    presets.push_back({prefix + scale_rule_name(rule), scope, release,
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
    presets.push_back({fmt::format("microxcaling-{}", name), Scope::all, kMicroxcaling,
                       [rounding = rounding](const ElementFormat&, QuantizerOptions& o) {
                         microxcaling(o, rounding);
                       }});
  }
  presets.push_back({"microxcaling-even-flush", Scope::all, kMicroxcaling,
                     [](const ElementFormat&, QuantizerOptions& o) {
                       microxcaling(o, Rounding::nearest_even_float32);
                       o.flush_subnormal_blocks = true;
                     }});
  for (const auto& [name, rounding] : kCuda) {
    presets.push_back({fmt::format("microxcaling-cuda-{}", name), Scope::all, kMicroxcaling,
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
    presets.push_back({name, Scope::all, kQuark,
                       [rounding = rounding](const ElementFormat& format, QuantizerOptions& o) {
                         quark_onnx(format, o, rounding);
                       }});
  }
}

void add_nvfp4(std::vector<Preset>& presets) {
  auto add = [&presets](const char* name, const char* release, void (*apply)(QuantizerOptions&)) {
    presets.push_back({name, Scope::nvfp4, release,
                       [apply](const ElementFormat&, QuantizerOptions& o) { apply(o); }});
  };
  using O = QuantizerOptions&;
  add("nvfp4-torchao1", kTorchaoNvfp4, [](O o) { nvfp4_torchao(o, false); });
  add("nvfp4-torchao2", kTorchaoNvfp4, [](O o) { nvfp4_torchao(o, true); });
  add("nvfp4-modelopt", kModelopt, nvfp4_modelopt_clamped);
  add("nvfp4-modelopt-4over6", kModelopt, nvfp4_modelopt_4over6);
  add("nvfp4-modelopt_old", "ModelOpt 5a4242f (December 2025)", nvfp4_modelopt);
  add("nvfp4-compressed-tensors", kCompressedTensors, nvfp4_compressed_tensors);
  add("nvfp4-te", kTe, nvfp4_te);
  add("nvfp4-te-2d", kTe, [](O o) {
    nvfp4_te(o);
    o.block_rows = o.block_size;
  });
  add("nvfp4-te-row", kTe, [](O o) {
    nvfp4_te(o);
    o.row_scaled = true;
  });
  add("nvfp4-te-4over6", kTe, [](O o) { nvfp4_te_4over6(o, FourOverSix::absolute); });
  add("nvfp4-te-4over6-mse", kTe, [](O o) { nvfp4_te_4over6(o, FourOverSix::squared); });
  add("nvfp4-te-4over6-2d", kTe, [](O o) {
    nvfp4_te_4over6(o, FourOverSix::absolute);
    o.block_rows = o.block_size;
  });
  add("nvfp4-te-4over6-row", kTe, [](O o) {
    nvfp4_te_4over6(o, FourOverSix::absolute);
    o.row_scaled = true;
  });
  add("nvfp4-te-pow2", kTe, nvfp4_te_pow2);
}

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  auto add = [&presets](const char* name, Scope scope, const char* release, Apply apply) {
    presets.push_back({name, scope, release, std::move(apply)});
  };
  using F = const ElementFormat&;
  using O = QuantizerOptions&;
  add("ocp", Scope::all, kOcp, [](F, O) {});
  add_rules(presets, "ocp-", Scope::all, kOcp, 4, [](F, O o, ScaleRule r) { o.scale_rule = r; });
  add_microxcaling(presets);
  add("torchmx", Scope::all, "torchmx 0.1.0", torchmx);
  add_rules(presets, "torchao-", Scope::floating, kTorchao, 4,
            [](F, O o, ScaleRule r) { torchao(o, r); });
  add_rules(presets, "torchao_old-", Scope::floating, kTorchaoOld, 4,
            [](F, O o, ScaleRule r) { torchao_old(o, r); });
  add_quark_onnx(presets);
  add_rules(presets, "quark-torch-", Scope::all, kQuark, 3, quark_torch);
  add("pychop", Scope::all, "pychop 0.6.2", [](F f, O o) {
    pychop(o);
    o.zero_sign = is_integer(f) ? ZeroSign::keep : ZeroSign::positive;
  });
  add("ascend", Scope::floating, "CANN sample generator", ascend);
  add("modelopt-mxfp4", Scope::e2m1, kModeloptBoth, [](F, O o) { modelopt_mxfp4(o); });
  add("modelopt-mxfp8", Scope::e4m3, kModelopt, [](F, O o) { modelopt_mxfp8(o); });
  add("modelopt-cuda-nv", Scope::all, kModeloptCuda, [](F f, O o) { modelopt_cuda(f, o, true); });
  add("modelopt-cuda-ocp", Scope::all, kModeloptCuda, [](F f, O o) { modelopt_cuda(f, o, false); });
  add_nvfp4(presets);
  return presets;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> table = make_presets();
  return table;
}

const char* scope_text(Scope scope) {
  switch (scope) {
    case Scope::all:
      return "all but nvfp4";
    case Scope::floating:
      return "floating point";
    case Scope::e2m1:
      return "mxfp4_e2m1";
    case Scope::e4m3:
      return "mxfp8_e4m3";
    case Scope::nvfp4:
      return "nvfp4";
  }
  return "";
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
    case Scope::e4m3:
      allowed = format.name == "mxfp8_e4m3" ? nullptr : "mxfp8_e4m3";
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

// Maps names of PyTorch, ml_dtypes and related libraries to the project's format names.
std::string_view project_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"mxfp4", "mxfp4_e2m1"},         {"fp4_e2m1", "mxfp4_e2m1"},
      {"float4_e2m1", "mxfp4_e2m1"},   {"float4_e2m1fn", "mxfp4_e2m1"},
      {"fp4_e1m2", "mxfp4_e1m2"},      {"float4_e1m2", "mxfp4_e1m2"},
      {"fp6_e2m3", "mxfp6_e2m3"},      {"float6_e2m3", "mxfp6_e2m3"},
      {"float6_e2m3fn", "mxfp6_e2m3"}, {"fp6_e3m2", "mxfp6_e3m2"},
      {"float6_e3m2", "mxfp6_e3m2"},   {"float6_e3m2fn", "mxfp6_e3m2"},
      {"fp8_e4m3", "mxfp8_e4m3"},      {"fp8_e4m3fn", "mxfp8_e4m3"},
      {"float8_e4m3fn", "mxfp8_e4m3"}, {"fp8_e5m2", "mxfp8_e5m2"},
      {"float8_e5m2", "mxfp8_e5m2"},   {"float4_e2m1fn_x2", "mxfp4_e2m1"},
      {"mxfp8_e4m3fn", "mxfp8_e4m3"},  {"mxint8_e8m0", "mxint8"}};
  for (const auto& [theirs, ours] : kNames) {
    if (theirs == name) return ours;
  }
  return name;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); i++) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); j++) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Names that begin with `name`, else names that contain it, else the 3 closest.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t kClosest = 3;
  std::vector<std::string> beginning;
  std::vector<std::string> containing;
  for (const std::string& candidate : names) {
    const std::size_t at = candidate.find(name);
    if (at == 0) beginning.push_back(candidate);
    if (at != std::string::npos) containing.push_back(candidate);
  }
  if (!name.empty() && !beginning.empty()) return beginning;
  if (!name.empty() && !containing.empty()) return containing;
  std::vector<std::string> closest = names;
  std::stable_sort(closest.begin(), closest.end(), [name](const auto& a, const auto& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  closest.resize(kClosest);
  return closest;
}

void apply_overrides(QuantizerOptions& options, std::string_view preset,
                     const Overrides& overrides) {
  // A switch without effect is allowed if it has the preset's value.
  const QuantizerOptions preset_options = options;
  for (const auto& [name, value] : overrides) set_switch(options, name, value);
  const auto is_changed = [&](const char* name) {
    const auto found = overrides.find(name);
    return found != overrides.end() && found->second != switch_value(preset_options, name);
  };
  if (is_changed("scale_rule") && !options.scale_format.is_power_of_two()) {
    throw Error(fmt::format("a scale rule is for power-of-two scales, not for {}",
                            options.scale_format.name()));
  }
  const std::optional<ExponentRange>& range = options.exponent_range;
  const ScaleFormat& scales = options.scale_format;
  if (is_changed("scale_format") && range && !(scales == ScaleFormat{}) &&
      scales.is_power_of_two() &&
      (range->min < scales.min_exponent() || range->max > scales.max_exponent())) {
    throw Error(fmt::format("the scales of '{}' have exponents of {} to {}, more than {} holds",
                            preset, range->min, range->max, scales.name()));
  }
  if (is_changed("seed") && options.rounding != Rounding::stochastic) {
    throw Error("a seed is for stochastic rounding");
  }
  for (const auto& [name, meaning] :
       {std::pair{"tensor_amax", "tensor amax"}, {"tensor_scale", "tensor scale"}}) {
    if (!is_changed(name) || options.uses_tensor_scale) continue;
    throw Error(fmt::format("a {} is for presets with a scale of the whole tensor, not for '{}'",
                            meaning, preset));
  }
  const std::optional<float>& amax = options.tensor_amax;
  if (is_changed("tensor_amax") && amax && !(std::isfinite(*amax) && *amax > 0)) {
    throw Error(
        fmt::format("the tensor amax cannot be {} (allowed: finite numbers above 0)", *amax));
  }
  validate(options);
}

// Reads a number of one or two digits at `at` and advances `at`; -1 if there is none.
int number_at(std::string_view text, std::size_t& at) {
  int value = -1;
  for (std::size_t digits = 0; digits < 2 && at < text.size() && text[at] >= '0' && text[at] <= '9';
       digits++, at++) {
    value = (value < 0 ? 0 : value * 10) + (text[at] - '0');
  }
  return value;
}

}  // namespace

std::vector<PresetInfo> preset_infos() {
  std::vector<PresetInfo> infos;
  for (const Preset& preset : presets()) {
    infos.push_back({preset.name, scope_text(preset.scope), preset.release});
  }
  return infos;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

ElementFormat parse_any_format(std::string_view name) {
  name = project_name(name);
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
        const bool possible = exponent_bits >= 1 && exponent_bits <= 7;
        const int bias = possible ? (1 << (exponent_bits - 1)) - 1 : 0;
        return make_float_format(std::string(name), exponent_bits, mantissa_bits, bias,
                                 Specials::none);
      }
    }
  }
  throw Error(fmt::format("unknown format '{}' (allowed: {}nvfp4, eXmY, intN)", name, allowed));
}

Quantizer make_quantizer(std::string_view format, std::string_view preset,
                         const Overrides& overrides) {
  if (format == "nvfp4" && preset == "ocp") preset = "nvfp4-torchao2";
  Quantizer quantizer{parse_any_format(format), {}};
  for (const Preset& candidate : presets()) {
    if (candidate.name == preset) {
      check_scope(candidate, format, quantizer.format);
      candidate.apply(quantizer.format, quantizer.options);
      apply_overrides(quantizer.options, preset, overrides);
      return quantizer;
    }
  }
  throw Error(fmt::format("unknown preset '{}' (nearest: {}; `mxe formats` lists all)", preset,
                          fmt::join(nearest(preset, preset_names()), ", ")));
}

}  // namespace mxe::numerics
