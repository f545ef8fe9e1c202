// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/blocks/expand.h"
#include "model/engine/memory/log2_ceil.h"
#include "tb/blame/block_check.h"

namespace mxe::blame {
namespace {

/// mxe_opbuf and mxe_expand: addresses and data of words and scales.
class OperandBufferCheck : public BlockCheck {
 public:
  OperandBufferCheck(const Context& context, const std::string& instance, unsigned words)
      : BlockCheck(context, "mxe_opbuf", instance),
        word_bits_(std::max(engine::log2_ceil(words), 1u)),
        scale_bits_(engine::log2_ceil((context.design.params().nvfp4 != 0 ? 4 : 2) * words)),
        unit_bits_(std::min(scale_bits_, 5u)) {
    for (unsigned i = 0; scope_.has(fmt::format("gen_read[{}].scale_word", i)); i++) {
      const std::string read = fmt::format("gen_read[{}]", i);
      Line line{scope_.below(read), {}};
      for (unsigned p = 0; scope_.has(fmt::format("{}.gen_part[{}].to_half", read, p)); p++) {
        line.scales.push_back(scope_.below(fmt::format("{}.gen_part[{}].u_scales", read, p)));
      }
      lines_.push_back(line);
    }
    line_bits_ = scope_.find("line_i").width() - (lines() - 1);
  }

  void clock() override {
    const uint64_t line = scope_.get("line_i"), index = scope_.get("index_i");
    if (scope_.on("elem_valid_i")) {
      const Scope words = lines_[line % lines()].scope.below("u_words");
      expect("write", words.find("we_i"), 1u);
      expect("write", words.find("waddr_i"), word_place(bank("bank_i"), line, index));
    }
    if (scope_.on("scale_valid_i")) write_scales(line, index);
    if (scope_.on("re_i")) read(scope_.get("rline_i"), scope_.get("rword_i"));
    if (scope_.on("claim_i"))
      passed_blocks_[scope_.get("claim_bank_i")] = scope_.get("claim_behind_i");
    pass_on();
  }

 private:
  static constexpr unsigned kWordBits = 8 * kBlockSize;

  struct Line {
    Scope scope;
    std::vector<Scope> scales;
  };
  /// A bank of the memories; `half` is 0 or 1 in a split bank.
  struct Bank {
    uint64_t number, half;
  };

  unsigned lines() const { return static_cast<unsigned>(lines_.size()); }
  bool pair() const { return format_of(scope_.wide("fmt_i"), 0).is4 && !scope_.on("dual_i"); }
  Bank bank(const char* name) const {
    const uint64_t number = scope_.get(name);
    return scope_.on("split_i") ? Bank{number / 2, number % 2} : Bank{number, 0};
  }
  /// First entry of `line` in a bank with 2^`bits` entries per line.
  uint64_t line_place(uint64_t line, unsigned bits) const {
    return line / lines() << bits << scope_.get("chunk_shift_i");
  }
  uint64_t word_place(Bank bank, uint64_t line, uint64_t index) const {
    return (bank.number << (line_bits_ + word_bits_)) + line_place(line, word_bits_) + index +
           (bank.half << (word_bits_ - 1));
  }
  uint64_t scale_place(Bank bank, uint64_t line, uint64_t scale) const {
    return (bank.number << (line_bits_ + scale_bits_)) + line_place(line, scale_bits_) + scale +
           (bank.half << (scale_bits_ - 1));
  }

  /// The scales of a fetch fill a memory word, or half of it if it is a whole line of a split bank.
  void write_scales(uint64_t line, uint64_t index) {
    const Bank bank = this->bank("bank_i");
    const bool to_half = scope_.on("split_i") && scale_bits_ == unit_bits_;
    const std::vector<Scope>& parts = lines_[line % lines()].scales;
    const Wide data = scope_.wide("data_i");
    for (std::size_t p = 0; p < parts.size(); p++) {
      const bool mine = !to_half || p == bank.half;
      expect("write", parts[p].find("we_i"), uint32_t{mine});
      if (!mine) continue;
      const unsigned width = parts[p].find("wdata_i").width();
      expect("write", parts[p].find("wdata_i"),
             data.part(to_half ? 0 : width * static_cast<unsigned>(p), width));
      expect("write", parts[p].find("waddr_i"),
             scale_place(bank, line, index << unit_bits_) >> unit_bits_);
    }
  }
  void read(uint64_t line, uint64_t word) {
    const Bank bank = this->bank("rbank_i");
    const uint64_t block =
        (word << scope_.get("scale_shift_i")) + passed_blocks_[scope_.get("rbank_i")];
    const uint64_t scale = scale_place(bank, line, block >> scope_.get("coarse_i"));
    for (const Line& each : lines_) {
      expect("read", each.scope.find("u_words.raddr_i"),
             word_place(bank, line, pair() ? word / 2 : word));
      for (const Scope& part : each.scales) {
        expect("read", part.find("raddr_i"), scale >> unit_bits_);
      }
    }
    expect_next("read", "second_q", Wide(1, uint32_t{pair() && word % 2 == 1}));
    expect_next("scale of a word", "scale_sel_q",
                Wide(unit_bits_, scale & ((1u << unit_bits_) - 1)));
  }
  /// Checks the data read, one byte per lane; of a pair of 4-bit words only the requested one.
  void pass_on() {
    const Wide format = scope_.wide("fmt_i");
    if (format.get32(65, 1) == 0) return;  // valid bit: no job yet
    const unsigned chosen = scope_.get32("scale_sel_q");
    const bool shared = scope_.on("coarse_i");  // by all blocks of a word
    const unsigned scales_of_word = scope_.find("rscale_o").width() / 8 / lines();
    Wide words(kWordBits * lines()), scales(8 * scales_of_word * lines());
    for (unsigned i = 0; i < lines(); i++) {
      const Wide word = lines_[i].scope.wide("word"), all = lines_[i].scope.wide("scale_word");
      blocks::Word packed{};
      for (unsigned b = 0; b < packed.size(); b++) {
        packed[b] = static_cast<uint8_t>(word.get32(8 * b, 8));
      }
      expand_.evaluate(packed, format_of(format, 0));
      Wide lanes(kWordBits);
      for (unsigned b = 0; b < packed.size(); b++) {
        const uint32_t lane = expand_.lanes_o[b];
        lanes.put(8 * b, 8, lane);
        const uint32_t element = scope_.on("second_q") ? lane >> 4 : lane & 0xF;
        words.put(kWordBits * i + 8 * b, 8, pair() ? element : lane);
      }
      design().expect("mxe_expand", "", lines_[i].scope.find("u_expand.lanes_o"), lanes);
      for (unsigned j = 0; j < scales_of_word; j++) {
        scales.put(8 * (scales_of_word * i + j), 8,
                   all.get32(8 * (shared ? chosen : chosen | j), 8));
      }
    }
    expect("read", "rword_o", words);
    expect("scale of a word", "rscale_o", scales);
  }

  std::map<uint64_t, uint64_t> passed_blocks_;  // of each bank: see mxe_opbuf
  // Address bits of a word in a line, a scale in a line, a scale in a memory word, a line in a
  // bank.
  unsigned word_bits_, scale_bits_, unit_bits_, line_bits_ = 0;
  std::vector<Line> lines_;
  blocks::Expand expand_;
};

class BiasBufferCheck : public BlockCheck {
 public:
  explicit BiasBufferCheck(const Context& context)
      : BlockCheck(context, "mxe_cbuf", "u_datapath.u_cbuf") {
    for (unsigned i = 0; scope_.has(fmt::format("gen_seg[{}].word", i)); i++) {
      segments_.push_back({&scope_.find(fmt::format("gen_seg[{}].word", i)),
                           &scope_.find(fmt::format("gen_seg[{}].rdata", i)),
                           scope_.below(fmt::format("gen_seg[{}].u_seg", i))});
    }
  }

  void clock() override {
    const Wide data = scope_.wide("data_i");
    const bool bf16 = scope_.on("bf16_i"), valid = scope_.on("valid_i");
    const unsigned width = segments_.front().word->width();
    Wide row(scope_.find("rdata_o").width());
    for (unsigned s = 0; s < segments_.size(); s++) {
      Wide word(width);
      for (unsigned i = 0; i < width / 32; i++) {
        const unsigned place = 16 * i + (s % 2 == 1 ? 128 : 0);
        word.put(32 * i, 32, bf16 ? data.get(place, 16) << 16 : data.get(32 * i, 32));
      }
      expect("FP32", *segments_[s].word, word);
      const bool written = valid && scope_.get("index_i") == (bf16 ? s / 2 : s);
      expect("write", segments_[s].ram.find("we_i"), Wide(1, uint32_t{written}));
      if (scope_.on("read_q")) row.put(width * s, Wide(*segments_[s].rdata));
    }
    expect("read", "rdata_o", row);
    expect_next("read", "read_q", scope_.wide("re_i"));
    if (scope_.on("re_i") && job().c.one_row) {
      design().expect("mxe_datapath", "row of C", scope_.find("rrow_i"), 0u);
    }
  }

 private:
  struct Segment {
    const rtl::RtlValue *word, *rdata;
    Scope ram;
  };

  std::vector<Segment> segments_;
};

}  // namespace

void add_buffers(const Context& context, Checks& checks) {
  const Params& params = context.design.params();
  checks.push_back(std::make_unique<OperandBufferCheck>(context, "u_datapath.u_abuf",
                                                        params.a_slab_k / kBlockSize));
  checks.push_back(std::make_unique<OperandBufferCheck>(context, "u_datapath.u_bbuf",
                                                        params.b_buf_k / kBlockSize));
  checks.push_back(std::make_unique<BiasBufferCheck>(context));
}

}  // namespace mxe::blame
