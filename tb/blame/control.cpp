// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "model/numerics/formats/format.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/regs/generated/mxe_regs.h"
#include "tb/blame/block_check.h"
#include "tb/blame/nest.h"

namespace mxe::blame {
namespace {

/// mxe_job: the sizes derived from a descriptor with valid formats.
class JobCheck : public BlockCheck {
 public:
  JobCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_job", instance) {}

  void clock() override {
    Wide desc = scope_.wide("desc_i");
    if (desc != desc_) {  // the sizes are valid one cycle later
      desc_ = std::move(desc);
      compared_ = false;
    } else if (!compared_) {
      compared_ = true;
      sizes();
    }
  }
  void forget() override { desc_ = {}; }

 private:
  uint32_t word(unsigned offset) const { return desc_.get32(8 * offset, 32); }
  static uint64_t row_bytes(const blocks::FmtInfo& fmt, uint64_t k) {
    return (k * (fmt.is4 ? 4 : fmt.is6 ? 6 : 8) + 7) / 8;
  }
  void sizes() {
    const uint32_t control = word(MXE_DESC_CONTROL), k = word(MXE_DESC_K);
    const uint32_t code_a = (control & MXE_DESC_CONTROL_FMT_A_MASK) >> MXE_DESC_CONTROL_FMT_A_SHIFT;
    const uint32_t code_b = (control & MXE_DESC_CONTROL_FMT_B_MASK) >> MXE_DESC_CONTROL_FMT_B_SHIFT;
    if (code_a >= MXE_FORMAT_COUNT || code_b >= MXE_FORMAT_COUNT || k == 0) return;
    const auto format_a = static_cast<numerics::FormatId>(code_a);
    const auto format_b = static_cast<numerics::FormatId>(code_b);
    const blocks::FmtInfo a = blocks::fmt_info(format_a), b = blocks::fmt_info(format_b);
    const bool dual = params().fp4_dual && numerics::is_dual_pair(format_a, format_b);
    const uint64_t per_word = dual ? 2 * kBlockSize : kBlockSize;
    expect("sizes", "a_row_bytes_q", row_bytes(a, k));
    expect("sizes", "b_row_bytes_q", row_bytes(b, k));
    const bool short_blocks = (control & MXE_DESC_CONTROL_BLOCK_A_MASK) ==
                              MXE_BLOCK_OF_16 << MXE_DESC_CONTROL_BLOCK_A_SHIFT;
    const uint64_t block = short_blocks ? kBlockSize / 2 : kBlockSize;
    expect("sizes", "k_blocks_q", (uint64_t{k} + block - 1) / block);
    expect("sizes", "k_words_q", (uint64_t{k} + per_word - 1) / per_word);
    expect("sizes", "tail_count_q", (k - 1) % per_word + 1);
    fields();
  }
  void fields() {
    // {..., batch, m, n, dual, nvfp4, alpha_en, alpha, scale_shift, k_blocks, k_words, tail_count}
    constexpr unsigned kN = 102, kM = kN + 32, kBatch = kM + 32;
    Wide job = scope_.wide("job_o");
    job.put(kM, 32, word(MXE_DESC_M));
    job.put(kBatch, 16, std::max(word(MXE_DESC_BATCH) & MXE_DESC_BATCH_COUNT_MASK, 1u));
    job.put(kN, 32, word(MXE_DESC_N));
    expect("fields", "job_o", job);
  }

  Wide desc_;
  bool compared_ = false;
};

class WalkCheck : public BlockCheck {
 public:
  WalkCheck(const Context& context, const std::string& instance, Nest::Levels levels)
      : BlockCheck(context, "mxe_walk", instance), levels_(levels) {}

  void clock() override {
    expect("order", "valid_o", uint32_t{nest_.valid()});
    if (nest_.valid()) {
      expect("order", "step_o", StepFields::kRows, nest_.rows());
      expect("order", "step_o", StepFields::kCols, nest_.columns());
      expect("order", "step_o", StepFields::kTile, nest_.tile());
      expect("order", "step_o", StepFields::kChunkWords, nest_.chunk_words());
      expect("order", "step_o", StepFields::kWords,
             levels_.slabs ? nest_.slab_words() : nest_.chunk_words());
      if (scope_.on("take_i")) nest_.step();
    }
    if (!scope_.on("start_i")) return;
    Nest::Levels levels = levels_;
    levels.wide = scope_.on("shape_i", ShapeFields::kWide);
    levels.long_slabs = scope_.on("shape_i", ShapeFields::kLongSlabs);
    levels.groups = !scope_.on("shape_i", ShapeFields::kSkipGroup);
    nest_ = Nest(params(), scope_.get("shape_i", ShapeFields::kBatch),
                 scope_.get("shape_i", ShapeFields::kM), scope_.get("shape_i", ShapeFields::kN),
                 scope_.get("shape_i", ShapeFields::kKWords), levels);
  }
  void forget() override { nest_ = {}; }

 private:
  Nest::Levels levels_;
  Nest nest_;
};

}  // namespace

void add_control(const Context& context, Checks& checks) {
  const auto walk = [&](const char* instance, Nest::Levels levels) {
    checks.push_back(std::make_unique<WalkCheck>(context, instance, levels));
  };
  for (const char* instance : {"u_cmd.u_desc.u_job", "u_cmd.u_job"}) {
    checks.push_back(std::make_unique<JobCheck>(context, instance));
  }
  walk("u_datapath.u_load_a.u_walk", {true, true, false, false});
  walk("u_datapath.u_load_b.u_walk", {true, true, true, true});
  walk("u_datapath.u_feed.u_walk", {true, true, true, true});
  walk("u_datapath.u_load_bias.u_rows.u_walk", {true, false, true, false});
  walk("u_datapath.u_drain.u_rows.u_walk", {true, false, true, false});
}

}  // namespace mxe::blame
