// SPDX-License-Identifier: Apache-2.0
// The blocks of the model against those of the RTL: all inner values, which have the same names.
#include <Vblock_top.h>
#include <gtest/gtest.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "model/blocks/amax.h"
#include "model/blocks/array.h"
#include "model/blocks/merge.h"
#include "model/blocks/narrow.h"
#include "model/blocks/requant_lane.h"
#include "model/blocks/requant_scale.h"
#include "model/blocks/visitor.h"
#include "model/numerics/base/random.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/platform/rtl/plain_path.h"

double sc_time_stamp() { return 0; }

namespace mxe::blocks {
namespace {

using numerics::FormatId;

constexpr uint64_t kSeed = 31;
// Cycles after which every register holds the result of constant inputs.
constexpr int kSettled = 16;

class Signal {
 public:
  explicit Signal(const VerilatedVar& var) : var_(&var) {}

  unsigned width() const { return static_cast<unsigned>(var_->packed().elements()); }
  Bits value() const {
    Bits bits = 0;
    std::memcpy(&bits, var_->datap(), std::min<std::size_t>(var_->entSize(), sizeof bits));
    return bits;
  }

 private:
  const VerilatedVar* var_;
};

/// A row for one PE: operands of one pair, with specials, subnormal results, NaN scales.
struct Row {
  FormatId format_a, format_b;
  bool dual, nvfp4 = false;
  Word a{}, b{};
  uint32_t count, scale_a, scale_b, init;
};

class Blocks : public testing::Test {
 protected:
  Blocks() : top_(&context_) {
    top_.eval();
    for (const auto& [scope_path, scope] : *context_.scopeNameMap()) {
      if (!scope->varsp()) continue;
      std::string prefix = scope_path;
      prefix.erase(0, prefix.find("block_top") + std::strlen("block_top"));
      if (!prefix.empty()) prefix = prefix.substr(1) + '.';
      for (const auto& [name, var] : *scope->varsp()) {
        if (!var.isParam() && var.udims() == 0) {
          signals_.insert_or_assign(rtl::plain_path(prefix + name), Signal(var));
        }
      }
    }
  }

  void settle() {
    for (int i = 0; i < kSettled; i++) {
      top_.clk_i = 0;
      top_.eval();
      top_.clk_i = 1;
      top_.eval();
    }
  }

  /// `omitted`: text in the paths of values that are not compared.
  template <class Block>
  void expect_same(const std::string& instance, const Block& block,
                   const std::vector<std::string>& omitted = {}) {
    for (const Value& value : values_of(block)) {
      const bool is_omitted = std::any_of(
          omitted.begin(), omitted.end(),
          [&](const std::string& text) { return value.path.find(text) != std::string::npos; });
      if (is_omitted) continue;
      const std::string path = instance + '.' + value.path;
      const auto signal = signals_.find(path);
      ASSERT_NE(signal, signals_.end()) << path << ": not in the RTL";
      ASSERT_EQ(signal->second.width(), value.width) << path;
      const Bits rtl = signal->second.value();
      ASSERT_TRUE(rtl == value.bits) << path << ": " << text(value.bits) << ", RTL " << text(rtl);
      compared_++;
    }
  }
  /// Compares the odd chain only at the dual rate; otherwise the model's keeps its values.
  template <unsigned TreeW>
  void expect_pe(const std::string& instance, const Row& row, Pe<TreeW, RtlAccumulator>& pe) {
    pe.fp4_dual = row.dual && !row.nvfp4;
    std::vector<std::string> omitted = {"dot.scaled."};
    if (row.nvfp4) omitted = {"dot.tree", "dot.sum_q"};
    expect_same(instance, pe, omitted);
  }
  static std::string text(Bits bits) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "0x%llx%016llx",
                  static_cast<unsigned long long>(bits >> 64),
                  static_cast<unsigned long long>(bits));
    return buffer;
  }

  VerilatedContext context_;
  Vblock_top top_;
  std::map<std::string, Signal> signals_;
  uint64_t compared_ = 0;
};

uint8_t random_code(Random& random, FormatId format, bool specials) {
  const numerics::ElementFormat& element = numerics::element_format(format);
  auto code = static_cast<uint32_t>(random.next()) & element.code_mask();
  const bool special = element.kind == numerics::FormatKind::floating &&
                       (code & (element.sign_mask() - 1)) > element.max_code;
  if (special && !specials) code = element.max_code;
  if (random.one_in(8)) code = 0;  // times an infinity now and then
  if (specials && element.has_inf && random.one_in(4)) code = element.max_code + 1;
  return static_cast<uint8_t>(code);
}

Row random_row(Random& random, FormatId format_a, FormatId format_b) {
  Row row;
  row.format_a = format_a;
  row.format_b = format_b;
  row.dual = numerics::is_dual_pair(format_a, format_b) && random.one_in(2);
  const bool specials = random.one_in(4), full = random.one_in(2), beyond = random.one_in(2);
  row.count = full ? 32 : static_cast<uint32_t>(random.uniform(1, 32));
  if (row.dual) row.count = static_cast<uint32_t>(random.uniform(1, 64));
  for (unsigned i = 0; i < kBlockSize; i++) {
    const auto fill = [&](Word& word, FormatId format) {
      if (beyond || i < row.count)
        word[i] = random_code(random, format, specials && random.one_in(8));
      if (!row.dual || (!beyond && i + kBlockSize >= row.count)) return;
      word[i] = static_cast<uint8_t>(word[i] | random_code(random, format, false) << 4);
    };
    fill(row.a, format_a);
    fill(row.b, format_b);
  }
  const unsigned low = random.one_in(3) ? 0 : 60, high = random.one_in(3) ? 255 : 140;
  const auto scales = [&] {
    return static_cast<uint32_t>(random.uniform(low, high) << 8 | random.uniform(low, high));
  };
  row.scale_a = scales();
  row.scale_b = scales();
  row.init = static_cast<uint32_t>(random.next());
  if (random.one_in(4)) row.init &= 0x807FFFFF;
  return row;
}

template <unsigned TreeW>
void evaluate(const Row& row, Array<TreeW>& array) {
  array.start(fmt_info(row.format_a), fmt_info(row.format_b), row.dual, row.nvfp4);
  array.load_b(0, row.b, row.scale_b, row.count);
  array.swap_b();
  array.evaluate(row.a, row.scale_a, 1, 0, true, &row.init);
}

TEST_F(Blocks, ProcessingElementHasEveryValueOfTheRtl) {
  for (uint64_t seed = kSeed; seed < kSeed + 40; seed++) {
    Random random(seed);
    for (const FormatId format_a : numerics::kAllFormats) {
      for (const FormatId format_b : numerics::kAllFormats) {
        SCOPED_TRACE(testing::Message()
                     << "seed " << seed << ", " << numerics::element_format(format_a).name << " "
                     << numerics::element_format(format_b).name);
        const Row row = random_row(random, format_a, format_b);
        top_.fmt_a_i = static_cast<uint8_t>(format_a);
        top_.fmt_b_i = static_cast<uint8_t>(format_b);
        top_.dual_i = row.dual;
        top_.nvfp4_i = 0;
        std::memcpy(&top_.a_word_i, row.a.data(), row.a.size());
        std::memcpy(&top_.b_word_i, row.b.data(), row.b.size());
        top_.b_count_i = static_cast<uint8_t>(row.count);
        top_.a_scale_i = row.scale_a;
        top_.b_scale_i = row.scale_b;
        top_.init_i = row.init;
        settle();
        Array<70> wide(1, 1, true);
        evaluate(row, wide);
        expect_same("decode_a", wide.decode_a);
        expect_same("decode_b", wide.decode_b);
        expect_pe("pe70", row, wide.pe[0]);
        if (numerics::pair_tree_width(format_a, format_b) <= 42) {
          Array<42> narrow(1, 1, true);
          evaluate(row, narrow);
          expect_pe("pe42", row, narrow.pe[0]);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(compared_, 3'000'000u);
  RecordProperty("values", std::to_string(compared_));
}

TEST_F(Blocks, Nvfp4HasEveryValueOfTheRtl) {
  Random random(kSeed);
  for (int i = 0; i < 5000; i++) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << i);
    Row row;
    row.format_a = row.format_b = FormatId::mxfp4_e2m1;
    row.dual = true;  // as on every engine with FP4_DUAL
    row.nvfp4 = true;
    row.count = static_cast<uint32_t>(random.uniform(1, 64));
    for (unsigned lane = 0; lane < kBlockSize; lane++) {
      row.a[lane] = static_cast<uint8_t>(random.next());
      row.b[lane] = static_cast<uint8_t>(random.next());
    }
    const bool has_nan = random.one_in(8);
    const auto scales = [&] {
      uint32_t codes = 0;
      for (unsigned block = 0; block < 4; block++) {
        codes |= static_cast<uint32_t>(random.uniform(0, has_nan ? 0xFF : 0x7E)) << 8 * block;
      }
      return codes;
    };
    row.scale_a = scales();
    row.scale_b = scales();
    row.init = static_cast<uint32_t>(random.next());
    top_.fmt_a_i = top_.fmt_b_i = static_cast<uint8_t>(FormatId::mxfp4_e2m1);
    top_.dual_i = row.dual;
    top_.nvfp4_i = 1;
    std::memcpy(&top_.a_word_i, row.a.data(), row.a.size());
    std::memcpy(&top_.b_word_i, row.b.data(), row.b.size());
    top_.b_count_i = static_cast<uint8_t>(row.count);
    top_.a_scale_i = row.scale_a;
    top_.b_scale_i = row.scale_b;
    top_.init_i = row.init;
    settle();
    Array<70> array(1, 1, true);
    evaluate(row, array);
    expect_pe("pe70", row, array.pe[0]);
    ASSERT_EQ(top_.even70_o, array.pe[0].acc_even[0]);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Blocks, MergeHasEveryValueOfTheRtl) {
  Random random(kSeed);
  for (int i = 0; i < 5000; i++) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << i);
    const auto even = static_cast<uint32_t>(random.next());
    auto odd = static_cast<uint32_t>(random.next());
    if (i % 2 != 0) odd = (odd & 0x80FFFFFF) | (even & 0x7F000000);  // alike in magnitude
    if (i % 16 == 3) odd = even ^ 0x80000000;
    top_.even_i = even;
    top_.odd_i = odd;
    settle();
    Merge merge;
    merge.evaluate(even, odd);
    expect_same("merge", merge);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Blocks, RequantiserHasEveryValueOfTheRtl) {
  Random random(kSeed);
  for (int i = 0; i < 5000; i++) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << i);
    uint32_t x[8];
    const auto binade = static_cast<uint32_t>(random.uniform(0, 255));
    for (uint32_t& value : x) {
      value = static_cast<uint32_t>(random.next()) & 0x807FFFFF;
      value |= (binade - static_cast<uint32_t>(random.uniform(0, std::min(binade, 12u)))) << 23;
    }
    const auto format = static_cast<FormatId>(random.uniform(0, numerics::kFormatCount - 1));
    const auto rule = static_cast<Rule>(random.uniform(0, 3));
    const bool special = random.one_in(2);
    top_.fmt_d_i = static_cast<uint8_t>(format);
    top_.rule_i = static_cast<uint8_t>(rule);
    top_.special_i = special;
    std::memcpy(&top_.x_i, x, sizeof x);
    settle();
    Amax amax(8);
    RequantScale scale;
    Narrow narrow;
    RequantLane lane;
    scale.evaluate(amax.evaluate(x), fmt_info(format), rule);
    lane.evaluate(narrow.evaluate(x[0]), scale.scale_o, fmt_info(format), special);
    ASSERT_EQ(signals_.at("amax.amax_o").value(), amax.amax_o);
    expect_same("narrow", narrow);
    expect_same("requant_scale", scale);
    expect_same("requant_lane", lane);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace mxe::blocks
