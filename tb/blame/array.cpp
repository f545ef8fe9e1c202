// SPDX-License-Identifier: Apache-2.0
#include "model/blocks/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/blocks/scale_e4m3.h"
#include "model/numerics/base/error.h"
#include "model/params/hardware.h"
#include "tb/blame/block_check.h"
#include "tb/blame/fields.h"
#include "tb/blame/pipeline.h"
#include "tb/blame/stages.h"

namespace mxe::blame {
namespace {

using blocks::kDecWidth;
using blocks::kDualSumWidth;
using blocks::kPackPosition;

constexpr const char* kArray = "u_datapath.u_array";

blocks::Word word_of(const Wide& bits) {
  blocks::Word word{};
  for (unsigned i = 0; i < kBlockSize; i++) word[i] = static_cast<uint8_t>(bits.get32(8 * i, 8));
  return word;
}

blocks::DecodedWord decoded_of(const Wide& dec, const Wide& flags) {
  blocks::DecodedWord word;
  for (unsigned i = 0; i < kBlockSize; i++) {
    const uint32_t lane = dec.get32(kDecWidth * i, kDecWidth);
    word.grp[i] = static_cast<uint8_t>(lane >> 10);
    word.mag[i] = static_cast<uint8_t>(lane >> 2);
    word.sign[i] = static_cast<uint8_t>(lane & 3);
    word.neg |= (lane & 1) << i;
  }
  word.zero = flags.get32(0, kBlockSize);
  word.inf = flags.get32(kBlockSize, kBlockSize);
  word.nan = flags.get32(2 * kBlockSize, kBlockSize);
  return word;
}

Place place_in_decoder(const std::string& path) {
  if (path.find("lane_") == std::string::npos) return {"mxe_decode_word", "decode"};
  return {path.find("hi.") == std::string::npos ? "mxe_decode" : "mxe_decode4", "decode"};
}

class DecodeCheck : public BlockCheck {
 public:
  DecodeCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_decode_word", instance),
        pipeline_(context.design, instance, decode_, place_in_decoder) {
    for (unsigned i = 0; i < kBlockSize; i++) {
      keep_.push_back(&scope_.find(fmt::format("gen_lane[{}].u_decode.keep_i", i)));
    }
  }

  void clock() override {
    const Wide format = scope_.wide("fmt_i");
    if (format.get32(65, 1) == 0) return;  // valid bit: no job yet
    const bool dual = scope_.on("dual_i");
    if (format != format_ || dual != decode_.dual_i) {
      decode_.start(format_of(format, 0), dual);
      format_ = format;
      pipeline_.forget();
    }
    const uint32_t count = scope_.get32("count_i");
    Wide word = scope_.wide("word_i");
    for (unsigned i = 0; i < kBlockSize; i++) {
      const uint32_t keep = uint32_t{count > kBlockSize + i} << 1 | uint32_t{count > i};
      expect("elements within K", *keep_[i], keep);
    }
    if (pipeline_.has_clock() && word == word_ && count == decode_.count_i) {
      return pipeline_.repeat();
    }
    word_ = std::move(word);
    decode_.evaluate(word_of(word_), count);
    pipeline_.clock(decode_);
  }
  void new_job() override { forget(); }
  void forget() override { pipeline_.forget(); }

 private:
  blocks::DecodeWord decode_;
  Pipeline pipeline_;
  Wide format_, word_;
  std::vector<const rtl::RtlValue*> keep_;
};

/// mxe_scales_e4m3: the scales of a word of NVFP4.
class ScalesCheck : public BlockCheck {
 public:
  ScalesCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_scale_e4m3", instance) {
    for (unsigned i = 0; i < blocks::kScaledBlocks; i++) {
      scale_.push_back(&scope_.find(fmt::format("gen_scale[{}].u_scale.scale_o", i)));
    }
  }

  void clock() override {
    const uint32_t codes = scope_.get32("codes_i");
    bool nan = false;
    for (unsigned i = 0; i < blocks::kScaledBlocks; i++) {
      blocks::ScaleE4m3 decode;
      decode.evaluate(codes >> 8 * i & 0xFF);
      expect("scale", *scale_[i], decode.scale_o);
      nan |= decode.nan_o && (i < blocks::kScaledBlocks / 2 || scope_.on("dual_i"));
    }
    expect("scale", "nan_o", uint32_t{nan});
  }

 private:
  std::vector<const rtl::RtlValue*> scale_;
};

/// mxe_array without its blocks: the registers of the A word, the control, the bias.
class ArrayCheck : public BlockCheck {
 public:
  explicit ArrayCheck(const Context& context) : BlockCheck(context, "mxe_array", kArray) {
    for (unsigned i = 0; i < context.design.params().num_pe; i++) {
      init_.push_back(&scope_.find(fmt::format("gen_pe[{}].u_pe.init_i", i)));
    }
  }

  void clock() override {
    const uint32_t scales = scope_.get32("a_scale_i");
    const uint32_t even = scales & 0xFF, odd = scales >> 8 & 0xFF;
    const auto offset =
        static_cast<uint32_t>(job().a.fmt.lsb + job().b.fmt.lsb - 254 + blocks::kExpBias);
    expect_next("A word", "a_dec_q2", scope_.wide("a_dec"));
    expect_next("A word", "a_flags_q2", scope_.wide("a_flags"));
    expect_next("A scale", "exp_even_q2", Wide(10, offset + even));
    expect_next("A scale", "exp_odd_q2", Wide(10, offset + odd));
    expect_next("A scale", "a_nan_q2",
                Wide(2, uint32_t{odd == 0xFF} << 1 | uint32_t{even == 0xFF}));
    if (params().nvfp4) shift_scales();
    shift_control();
    const Wide bias = scope_.wide("bias_i");
    for (unsigned i = 0; i < init_.size(); i++) {
      expect("bias", *init_[i], bias.get(32 * i, 32));
    }
  }

 private:
  void shift_scales() {
    const Wide none(32, 0);
    expect_next("A scale", "gen_nvfp4.scales_q2",
                scope_.on("nvfp4") ? scope_.wide("gen_nvfp4.scales") : none);
    static constexpr const char* kLater[][2] = {
        {"scales_q2", "scales_q3"}, {"scales_q3", "scales_q4"}, {"nan", "nan_q2"},
        {"nan_q2", "nan_q3"},       {"nan_q3", "nan_q4"},       {"b_scale_q1", "b_scale_q2"}};
    const Scope scales = scope_.below("gen_nvfp4");
    for (const auto& [from, to] : kLater) {
      expect_next("scales", scales.find(to), scales.wide(from));
    }
    expect_next("scales", scales.find("b_scale_q1"), scope_.wide("b_scale_i"));
  }
  void shift_control() {
    const Wide old = scope_.wide("ctl_q"), in = scope_.wide("ctl_in");
    Wide next(old.width());
    next.put(0, in);
    next.put(in.width(), old.part(0, old.width() - in.width()));
    expect_next("control", "ctl_q", next);
    const rtl::RtlValue& valid = scope_.find("valid_q");
    const blocks::Bits moved = scope_.get("valid_q") << 1 | scope_.get("row_valid_i");
    constexpr blocks::Bits kStages = (blocks::Bits{1} << (kDotLatency + kAccLatency)) - 1;
    expect_next("control", valid, scope_.on("nvfp4") ? moved : moved & kStages);
  }

  std::vector<const rtl::RtlValue*> init_;
};

/// Values of mxe_dot that a pipeline compares: in an MX job all but the scaled blocks; in an NVFP4
/// job the lanes and halves, and separately the scaled blocks. Their scales arrive kScalesLater
/// cycles after the elements, their sum kSumLater cycles after the scales. The model has no value
/// for the top of the tree there.
enum class PartOfDot { kMx, kLanes, kScaled };
constexpr unsigned kScalesLater = 2, kSumLater = 4;
/// Cycles of an MX job in which terms of an NVFP4 job before it are in the tree.
constexpr unsigned kTermsLeave = 4;

struct PlaceInDot {
  PartOfDot part;
  bool behind_register = false;

  Place operator()(const std::string& path) {
    const std::string leaf = path.substr(path.rfind('.') + 1);
    if (path.find("scaled.") != std::string::npos) {
      return part == PartOfDot::kScaled ? in_scaled_block(leaf) : kNotCompared;
    }
    if (part == PartOfDot::kScaled) return kNotCompared;
    if (path.find("lane_") != std::string::npos) {
      if (leaf == "neg") behind_register = false;
      if (leaf == "mag_q") behind_register = true;
      return {"mxe_lane", "product", behind_register ? 1u : 0u};
    }
    if (path.find("quad_") != std::string::npos) return {"mxe_quad", "sum", 2};
    if (path.find("half_") != std::string::npos) return {"mxe_tree", "sum", 2};
    if (part == PartOfDot::kLanes) return kNotCompared;
    if (path.find("tree.") != std::string::npos) return {"mxe_tree", "sum", 2};
    return {"mxe_dot", "sum", leaf == "sum_q" ? 4u : 3u};
  }

 private:
  static Place in_scaled_block(const std::string& leaf) {
    if (leaf == "sum_q" || leaf == "sig_q" || leaf == "exp_q") {
      return {"mxe_scaled_block", "scaled sum", kScalesLater + 1};
    }
    const bool product = leaf == "product_q" || leaf == "exp_q2" || leaf == "term_o";
    return {"mxe_scaled_block", "scaled sum", kScalesLater + (product ? 2u : 0u)};
  }
};

template <unsigned TreeW>
class PeCheck : public BlockCheck {
 public:
  PeCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_pe", instance),
        dot_pipeline_(context.design, instance + ".u_dot", dot_, PlaceInDot{PartOfDot::kMx}),
        lanes_pipeline_(context.design, instance + ".u_dot", dot_, PlaceInDot{PartOfDot::kLanes}),
        scale_pipeline_(context.design, instance + ".u_scale_even", scale_,
                        [](const std::string&) {
                          return Place{"mxe_scale", "scale"};
                        }),
        even_pipeline_(context.design, instance + ".u_facc_even", even_, PlaceInFacc()),
        odd_pipeline_(context.design, instance + ".gen_odd.u_facc_odd", odd_, PlaceInFacc()),
        even_scope_(context.design, instance + ".u_facc_even"),
        odd_scope_(context.design, instance + ".gen_odd.u_facc_odd") {
    if (!params().nvfp4) return;
    scaled_pipeline_.emplace(context.design, instance + ".u_dot", scaled_,
                             PlaceInDot{PartOfDot::kScaled});
  }

  void clock() override {
    hold_b_word();
    const bool dual = scope_.on("dual_i"), nvfp4 = scope_.on("nvfp4_i");
    Wide words[4] = {scope_.wide("a_dec_i"), scope_.wide("a_flags_i"), scope_.wide("b_dec_q"),
                     scope_.wide("b_flags_q")};
    Pipeline& pipeline = nvfp4 ? lanes_pipeline_ : dot_pipeline_;
    const bool settled = nvfp4 || settled_ >= kTermsLeave;
    settled_ = nvfp4 ? 0 : std::min(settled_ + 1, kTermsLeave);
    if (!settled) pipeline.forget();
    if (pipeline.has_clock() && std::equal(words, words + 4, words_)) {
      pipeline.repeat();
    } else {
      std::move(words, words + 4, words_);
      dot_.evaluate(dual, decoded_of(words_[0], words_[1]), decoded_of(words_[2], words_[3]), {});
      pipeline.clock(dot_);
    }
    if (nvfp4) multiply_scales(dual);
    const blocks::DecodedWord &a = dot_.a_i, &b = dot_.b_i;
    const Wide held = scope_.wide("b_scale_q");
    const auto even = static_cast<uint32_t>(nvfp4 ? 0 : held.get(0, 8));
    const auto odd = static_cast<uint32_t>(held.get(8, 8));
    const bool b_nan = nvfp4 && held.get(held.width() - 1, 1) != 0;
    const uint32_t a_nan = scope_.get32("a_nan_i");
    scale_.evaluate(blocks::sign_extend32<10>(scope_.get32("exp_even_i")),
                    (a_nan & 1) != 0 || b_nan, even, a, b);
    scale_pipeline_.clock(scale_);
    expect("scale", "exp_odd", scope_.get32("exp_odd_i") + odd);
    expect("scale", "nan_odd", uint32_t{(a_nan & 2) != 0 || odd == 0xFF});
    accumulate(dual && !nvfp4, nvfp4);
  }
  void new_job() override { forget(); }
  void forget() override {
    dot_pipeline_.forget();
    lanes_pipeline_.forget();
    if (scaled_pipeline_) scaled_pipeline_->forget();
    before_.clear();
    sums_.clear();
    scale_pipeline_.forget();
    even_pipeline_.forget();
    odd_pipeline_.forget();
  }

 private:
  void hold_b_word() {
    static constexpr const char* kWords[3][5] = {
        {"b_dec_i", "b_dec_shadow_q", "b_dec_q", "b_load_i", "b_swap_i"},
        {"b_flags_i", "b_flags_shadow_q", "b_flags_q", "b_load_i", "b_swap_i"},
        {"b_scale_i", "b_scale_shadow_q", "b_scale_q", "b_scale_load_i", "b_scale_swap_i"}};
    for (const auto& [in, shadow, word, load, swap] : kWords) {
      expect_next("B word", shadow, scope_.wide(scope_.on(load) ? in : shadow));
      expect_next("B word", word, scope_.wide(scope_.on(swap) ? shadow : word));
    }
  }

  /// The scaled blocks of the elements that came kScalesLater cycles ago.
  void multiply_scales(bool dual) {
    before_.emplace_back(dot_.a_i, dot_.b_i);
    if (before_.size() <= kScalesLater) return;
    const auto& [a, b] = before_.front();
    scaled_.evaluate(dual, a, b,
                     {true, scope_.get32("a_scale_i"), scope_.wide("b_scale_q").get32(0, 32)});
    scaled_pipeline_->clock(scaled_, kScalesLater);
    before_.pop_front();
    sums_.push_back(scaled_.sum_q);
    if (sums_.size() <= kSumLater) return;
    design().expect("mxe_dot", "sum", scope_.find("sum"), Field{0, blocks::kScaledSumWidth},
                    static_cast<uint64_t>(sums_.front()));
    sums_.pop_front();
  }

  /// `pair`: two chains.
  void accumulate(bool pair, bool nvfp4) {
    // The scale unit's outputs are delayed in parallel with the tree.
    const blocks::Bits special = scope_.get("exp_odd") << 14 | scope_.get("nan_odd") << 13 |
                                 scope_.get("exp_even") << 3 | scope_.get("nan_even") << 2 |
                                 scope_.get("pinf") << 1 | scope_.get("ninf");
    expect_next("parallel to the tree", "spec_q1", Wide(24, special));
    expect_next("parallel to the tree", "spec_q2", scope_.wide("spec_q1"));
    expect_next("parallel to the tree", "spec_q3", scope_.wide("spec_q2"));
    expect_next("parallel to the tree", "spec_q4", scope_.wide("spec_q3"));
    expect_next("accumulator", "first_q", scope_.wide("acc_first_i"));

    const Wide sum = scope_.wide("sum");
    const bool first = scope_.on("first_q");
    const blocks::Bits low = sum.get(0, kPackPosition), whole = sum.get(0, TreeW);
    expect("sum of the even block", "sum_even",
           static_cast<blocks::Bits>(pair    ? blocks::sign_extend<kPackPosition>(low)
                                     : nvfp4 ? blocks::sign_extend<blocks::kScaledSumWidth>(
                                                   sum.get(0, blocks::kScaledSumWidth))
                                             : blocks::sign_extend<TreeW>(whole)));
    expect("accumulator", even_scope_.find("acc_i"), scope_.get(first ? "init_i" : "acc_even"));
    even_.evaluate(blocks::sign_extend<TreeW>(even_scope_.wide("sum_i").get(0, TreeW)),
                   blocks::sign_extend32<10>(even_scope_.get32("exp_i")), even_scope_.on("nan_i"),
                   even_scope_.on("pinf_i"), even_scope_.on("ninf_i"), even_scope_.get32("acc_i"));
    even_pipeline_.clock(even_);

    expect("sum of the odd block", "gen_odd.sum_odd", sum.get(kPackPosition, kDualSumWidth));
    expect("accumulator", odd_scope_.find("acc_i"), first ? 0 : scope_.get("gen_odd.acc_odd"));
    odd_.evaluate(blocks::sign_extend<kDualSumWidth>(odd_scope_.get("sum_i")),
                  blocks::sign_extend32<10>(odd_scope_.get32("exp_i")), odd_scope_.on("nan_i"),
                  odd_scope_.on("pinf_i"), odd_scope_.on("ninf_i"), odd_scope_.get32("acc_i"));
    odd_pipeline_.clock(odd_);
  }

  Wide words_[4];
  std::deque<std::pair<blocks::DecodedWord, blocks::DecodedWord>> before_;  ///< words of A and B
  std::deque<blocks::Bits> sums_;
  unsigned settled_ = kTermsLeave;  ///< cycles since the last job with NVFP4, at most kTermsLeave
  blocks::Dot<TreeW> dot_, scaled_;
  blocks::Scale scale_;
  blocks::RtlAccumulator<TreeW> even_;
  blocks::RtlAccumulator<kDualSumWidth> odd_;
  std::optional<Pipeline> scaled_pipeline_;
  Pipeline dot_pipeline_, lanes_pipeline_, scale_pipeline_, even_pipeline_, odd_pipeline_;
  Scope even_scope_, odd_scope_;
};

}  // namespace

void add_array(const Context& context, Checks& checks) {
  constexpr unsigned kTreeW = 70;
  const Params& params = context.design.params();
  if (params.tree_w != kTreeW || !params.fp4_dual) {
    throw Error("the search for the first wrong value requires TREE_W = 70 and FP4_DUAL = 1");
  }
  for (unsigned i = 0; i < feed_cols(params.num_pe); i++) {
    checks.push_back(std::make_unique<DecodeCheck>(
        context, fmt::format("u_datapath.u_feed.gen_decode[{}].u_decode_b", i)));
  }
  checks.push_back(std::make_unique<DecodeCheck>(context, "u_datapath.u_array.u_decode_a"));
  checks.push_back(std::make_unique<ArrayCheck>(context));
  if (params.nvfp4) {
    for (unsigned i = 0; i < feed_cols(params.num_pe); i++) {
      checks.push_back(std::make_unique<ScalesCheck>(
          context, fmt::format("u_datapath.u_feed.gen_nvfp4.gen_col[{}].u_scales", i)));
    }
    checks.push_back(
        std::make_unique<ScalesCheck>(context, fmt::format("{}.gen_nvfp4.u_scales_a", kArray)));
  }
  for (unsigned i = 0; i < params.num_pe; i++) {
    checks.push_back(
        std::make_unique<PeCheck<kTreeW>>(context, fmt::format("{}.gen_pe[{}].u_pe", kArray, i)));
  }
}

}  // namespace mxe::blame
