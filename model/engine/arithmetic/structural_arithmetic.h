// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "model/blocks/alpha.h"
#include "model/blocks/array.h"
#include "model/blocks/merge.h"
#include "model/blocks/requant.h"
#include "model/engine/arithmetic/arithmetic.h"

namespace mxe::engine {

/// Computes with the RTL's blocks (model/blocks). `Accumulator`: see blocks::Pe.
template <unsigned TreeW, template <unsigned> class Accumulator = blocks::RtlAccumulator>
class StructuralArithmetic : public Arithmetic {
 public:
  using Array = blocks::Array<TreeW, Accumulator>;

  explicit StructuralArithmetic(const Params& params)
      : acc_tiles_(params.acc_tiles),
        fp4_dual_(params.fp4_dual != 0),
        array_(params.num_pe, std::size_t{params.rows} * params.acc_tiles, params.fp4_dual != 0),
        merge_(segment_lanes(params)),
        requant_(segment_lanes(params)) {}

  void start(const ArithmeticJob& job) override {
    dual_ = job.dual && !job.nvfp4;
    array_.start(blocks::fmt_info(job.format_a), blocks::fmt_info(job.format_b), job.dual,
                 job.nvfp4);
    fmt_out_ = blocks::fmt_info(job.requant.format);
  }

  void run(const ArrayPass& pass, const TileResults& results) override {
    for (unsigned i = 0; i < pass.cols; i++) {
      array_.load_b(i, pass.b[i].lanes, scales(pass.b[i]), pass.count);
    }
    array_.swap_b();
    for (unsigned row = 0; row < pass.rows; row++) {
      const std::size_t address = std::size_t{row} * acc_tiles_ + pass.tile;
      array_.evaluate(pass.a[row].lanes, scales(pass.a[row]), pass.cols, address, pass.first,
                      pass.bias(row));
      row_done(pass.cycle + row);
      if (!pass.last) continue;
      for (unsigned i = 0; i < pass.cols; i++) {
        results.even[row * results.pitch + i] = array_.pe[i].facc_even.acc_o;
        if (dual_) results.odd[row * results.pitch + i] = array_.pe[i].facc_odd.acc_o;
      }
    }
  }

  void merge(const uint32_t* even, const uint32_t* odd, unsigned count, uint32_t* sums) override {
    for (unsigned i = 0; i < count; i++) {
      sums[i] = merge_[i % merge_.size()].evaluate(even[i], odd[i]);
    }
  }
  void finish(uint32_t alpha, const uint32_t* values, const uint32_t* c, unsigned count,
              uint32_t* results) override {
    for (unsigned i = 0; i < count; i++) {
      results[i] = alpha_.evaluate(alpha, values[i]);
      if (c) results[i] = merge_[i % merge_.size()].evaluate(results[i], c[i]);
    }
  }
  /// The drain detects a NaN by its nine bits below the sign: all NaN results are equal.
  unsigned count_nans(const uint32_t* values, unsigned count) override {
    return static_cast<unsigned>(std::count_if(
        values, values + count, [](uint32_t x) { return blocks::slice(x, 22, 9) == 0x1FF; }));
  }
  const uint8_t* store(const job::NumberFormat& format, const uint32_t* values, unsigned count,
                       std::vector<uint16_t>& buffer) override {
    if (format.bytes == 4) return reinterpret_cast<const uint8_t*>(values);
    const bool fp16 = format.kind == job::OutputFormat::Kind::fp16;
    buffer.resize(count);
    std::transform(values, values + count, buffer.begin(),
                   [fp16](uint32_t x) { return fp16 ? blocks::to_fp16(x) : blocks::to_bf16(x); });
    return reinterpret_cast<const uint8_t*>(buffer.data());
  }
  EncodedRow encode(const uint32_t* values, unsigned count,
                    const numerics::RequantOptions& options) override {
    requant_.evaluate(block_of(values, count).data(), count, fmt_out_,
                      static_cast<blocks::Rule>(options.rule),
                      options.overflow == numerics::Overflow::special);
    EncodedRow row;
    row.elements = requant_.pack;
    row.scale = static_cast<uint8_t>(requant_.scale.scale_o);
    for (unsigned i = 0; i < count; i++) row.saturated[i] = (requant_.over >> i & 1) != 0;
    return row;
  }

  // The blocks hold one segment, so each segment is computed again when it is shown.
  void show_merge(uint64_t cycle, const uint32_t* even, const uint32_t* odd,
                  unsigned count) override {
    for (unsigned i = 0; i < count; i++) merge_[i].evaluate(even[i], odd[i]);
    segment_done(cycle, BlockPart::merge);
  }
  void show_amax(uint64_t cycle, const uint32_t* values, unsigned count) override {
    requant_.amax.evaluate(block_of(values, count).data());
    segment_done(cycle, BlockPart::amax);
  }
  void show_encode(uint64_t cycle, const uint32_t* values, unsigned count,
                   const numerics::RequantOptions& options) override {
    const Block x = block_of(values, count);
    requant_.find_scale(x.data(), count, fmt_out_, static_cast<blocks::Rule>(options.rule));
    for (unsigned first = 0; first < count; first += requant_.segment_lanes()) {
      requant_.encode_segment(x.data(), first, count, fmt_out_,
                              options.overflow == numerics::Overflow::special);
      segment_done(cycle++, BlockPart::requant);
    }
  }

  void visit_blocks(blocks::BlockVisitor& visitor) const override { array_.visit(visitor); }
  void visit_drain(blocks::BlockVisitor& visitor) const override {
    for (unsigned i = 0; fp4_dual_ && i < merge_.size(); i++) {
      blocks::show_block(visitor, "merge", i, merge_[i]);
    }
    blocks::show_block(visitor, "requant", requant_);
  }

  /// The blocks with the values of the last row or segment computed.
  const Array& array() const { return array_; }
  const std::vector<blocks::Merge>& merges() const { return merge_; }
  const blocks::Requant& requant() const { return requant_; }

 private:
  using Block = std::array<uint32_t, kBlockSize>;

  /// Columns from `count` on are zero.
  static Block block_of(const uint32_t* values, unsigned count) {
    Block block{};
    std::copy_n(values, count, block.begin());
    return block;
  }
  /// Results of a segment (LANES_OUT).
  static unsigned segment_lanes(const Params& params) {
    return std::min(params.num_pe, params.mem_bytes() / kFloatBytes);
  }
  static uint32_t scales(const OperandWord& word) {
    return uint32_t{word.scales[3]} << 24 | uint32_t{word.scales[2]} << 16 |
           uint32_t{word.scales[1]} << 8 | word.scales[0];
  }

  unsigned acc_tiles_;
  bool fp4_dual_;
  bool dual_ = false;  ///< two chains
  blocks::FmtInfo fmt_out_;
  Array array_;
  std::vector<blocks::Merge> merge_;
  blocks::Alpha alpha_;
  blocks::Requant requant_;
};

template <template <unsigned> class Accumulator>
std::unique_ptr<Arithmetic> make_structural_arithmetic_with(const Params& params) {
  if (params.tree_w == 42) return std::make_unique<StructuralArithmetic<42, Accumulator>>(params);
  if (params.tree_w == 56) return std::make_unique<StructuralArithmetic<56, Accumulator>>(params);
  return std::make_unique<StructuralArithmetic<70, Accumulator>>(params);
}

}  // namespace mxe::engine
