// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/blocks/expand.h"
#include "tb/blame/block_check.h"

namespace mxe::blame {
namespace {

/// mxe_opbuf and mxe_expand: where words and scales are stored, and which are read.
class OperandBufferCheck : public BlockCheck {
 public:
  OperandBufferCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_opbuf", instance) {
    for (unsigned i = 0; i < 2; i++) {
      halves_.push_back(scope_.below(fmt::format("gen_half[{}].u_words", i)));
    }
    for (unsigned i = 0; scope_.has(fmt::format("gen_read[{}].scale_word", i)); i++) {
      scale_words_.push_back(&scope_.find(fmt::format("gen_read[{}].scale_word", i)));
      scales_.push_back(scope_.below(fmt::format("gen_read[{}].u_scales", i)));
    }
    index_bits_ = scales_[0].find("raddr_i").width() + (lines() - 1) -
                  scope_.find("bank_i").width() - scope_.find("line_i").width();
  }

  void clock() override {
    if (scope_.on("elem_valid_i")) write();
    if (scope_.on("scale_valid_i")) {
      const uint64_t line = scope_.get("line_i");
      const Scope& ram = scales_[line % lines()];
      expect("write", ram.find("we_i"), 1u);
      expect("write", ram.find("waddr_i"), scale_place("bank_i", line, scope_.get("index_i")));
    }
    // Bytes of a scale word, and the first of the word's scales among them.
    const unsigned bytes = scale_words_[0]->width() / 8;
    const uint64_t scale = scope_.get("rword_i") << (scope_.on("dual_i") ? 1 : 0);
    if (scope_.on("re_i")) {
      read(scale / bytes);
      expect_next("scale of a word", "scale_sel_q",
                  Wide(scope_.find("scale_sel_q").width(), scale % bytes));
      expect_next("read", "rodd_q",
                  Wide(1, (scope_.get("rline_i") ^ scope_.get("rword_i")) & 1));
    }
    const unsigned chosen = scope_.get32("scale_sel_q");
    Wide scales(16 * lines());
    for (unsigned i = 0; i < lines(); i++) {
      const Wide word(*scale_words_[i]);
      scales.put(16 * i, 16,
                 uint32_t(word.get(8 * (chosen | 1), 8) << 8 | word.get(8 * chosen, 8)));
    }
    expect("scale of a word", "rscale_o", scales);
    Wide words(kWordBits * lines());
    for (unsigned i = 0; i < lines(); i++) {
      const Scope& half = halves_[scope_.get("rodd_q") ^ i];
      words.put(kWordBits * i, Wide(half.find("rdata_o")));
    }
    expect("read", "rword_o", words);
  }

 private:
  static constexpr unsigned kWordBits = 8 * blocks::kLanes;

  /// Lines that are read at a time.
  unsigned lines() const { return static_cast<unsigned>(scales_.size()); }

  /// A word arrives, or two of 4-bit elements: the low and the high ones of the lanes.
  void write() {
    const Wide format = scope_.wide("fmt_i"), data = scope_.wide("data_i");
    blocks::Word packed{};
    for (unsigned i = 0; i < packed.size(); i++) {
      packed[i] = static_cast<uint8_t>(data.get32(8 * i, 8));
    }
    const blocks::FmtInfo info = format_of(format, 0);
    expand_.evaluate(packed, info);
    const bool pair = info.is4 && !scope_.on("dual_i");
    Wide lanes(kWordBits), first(kWordBits), second(kWordBits);
    for (unsigned i = 0; i < packed.size(); i++) {
      const uint32_t lane = expand_.lanes_o[i];
      lanes.put(8 * i, 8, lane);
      first.put(8 * i, 8, pair ? lane & 0xF : lane);
      second.put(8 * i, 8, lane >> 4);
    }
    design().expect("mxe_expand", "", scope_.find("u_expand.lanes_o"), lanes);
    const uint64_t word = scope_.get("index_i") << (pair ? 1 : 0);
    const uint64_t line = scope_.get("line_i");
    store(halves_[(line ^ word) & 1], line, word, first);
    if (pair) store(halves_[(line ^ word ^ 1) & 1], line, word, second);
  }
  void store(const Scope& half, uint64_t line, uint64_t word, const Wide& lanes) {
    expect("write", half.find("we_i"), 1u);
    expect("write", half.find("wdata_i"), lanes);
    expect("write", half.find("waddr_i"), word_place("bank_i", line, word));
  }
  /// Words of as many lines as are read at a time, and the memory word of their scales.
  void read(uint64_t scale_word) {
    const uint64_t line = scope_.get("rline_i"), word = scope_.get("rword_i");
    for (unsigned i = 0; i < lines(); i++) {
      const Scope& half = halves_[(line ^ word ^ i) & 1];
      expect("read", half.find("re_i"), 1u);
      expect("read", half.find("raddr_i"), word_place("rbank_i", line | i, word));
      expect("read", scales_[i].find("raddr_i"), scale_place("rbank_i", line, scale_word));
    }
  }

  /// A line of the present bank, counted through all banks.
  uint64_t line_of(const char* bank, uint64_t line) const {
    return scope_.get(bank) << scope_.find("line_i").width() | line;
  }
  uint64_t word_place(const char* bank, uint64_t line, uint64_t word) const {
    return (line_of(bank, line) << scope_.find("index_i").width() | word) >> 1;
  }
  uint64_t scale_place(const char* bank, uint64_t line, uint64_t index) const {
    return (line_of(bank, line) / lines()) << index_bits_ | index;
  }

  std::vector<Scope> halves_, scales_;
  std::vector<const RtlValue*> scale_words_;
  unsigned index_bits_ = 0;
  blocks::Expand expand_;
};

/// mxe_cbuf: the numbers of C as FP32.
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
    const RtlValue *word, *rdata;
    Scope ram;
  };

  std::vector<Segment> segments_;
};

}  // namespace

void add_buffers(const Context& context, Checks& checks) {
  checks.push_back(std::make_unique<OperandBufferCheck>(context, "u_datapath.u_abuf"));
  checks.push_back(std::make_unique<OperandBufferCheck>(context, "u_datapath.u_bbuf"));
  checks.push_back(std::make_unique<BiasBufferCheck>(context));
}

}  // namespace mxe::blame
