// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "model/blocks/expand.h"
#include "tb/blame/block_check.h"

namespace mxe::blame {
namespace {

/// mxe_opbuf and mxe_expand: where words and scales are stored, and which are read.
class OperandBufferCheck : public BlockCheck {
 public:
  OperandBufferCheck(const Context& context, const std::string& instance)
      : BlockCheck(context, "mxe_opbuf", instance),
        words_(scope_.below("u_words")),
        scales_(scope_.below("u_scales")) {}

  void clock() override {
    const Wide format = scope_.wide("fmt_i"), data = scope_.wide("data_i");
    if (scope_.on("elem_valid_i")) {
      blocks::Word packed{};
      for (unsigned i = 0; i < packed.size(); i++) {
        packed[i] = static_cast<uint8_t>(data.get32(8 * i, 8));
      }
      expand_.evaluate(packed, format_of(format, 0));
      Wide lanes(256);
      for (unsigned i = 0; i < packed.size(); i++) {
        lanes.put(8 * i, 8, uint32_t{expand_.lanes_o[i]});
      }
      design().expect("mxe_expand", "", scope_.find("u_expand.lanes_o"), lanes);
      expect("write", words_.find("wdata_i"), lanes);
      expect("write", words_.find("waddr_i"), join("bank_i", "line_i", scope_.wide("index_i")));
    }
    const unsigned scale_bits = scales_.find("raddr_i").width() - scope_.find("bank_i").width() -
                                scope_.find("line_i").width();
    if (scope_.on("scale_valid_i")) {
      const Wide index(scale_bits, scope_.get("index_i"));
      expect("write", scales_.find("waddr_i"), join("bank_i", "line_i", index));
    }
    const uint64_t place = scope_.get("rword_i") << (scope_.on("dual_i") ? 1 : 0);
    if (scope_.on("re_i")) {
      expect("read", words_.find("raddr_i"), join("rbank_i", "rline_i", scope_.wide("rword_i")));
      expect("read", scales_.find("raddr_i"),
             join("rbank_i", "rline_i", Wide(scale_bits, place >> 3)));
      expect_next("scale of a word", "scale_sel_q", Wide(3, place & 7));
    }
    const Wide scales = scope_.wide("scale_word");
    const unsigned chosen = scope_.get32("scale_sel_q");
    expect("scale of a word", "rscale_o",
           Wide(16, scales.get(8 * (chosen | 1), 8) << 8 | scales.get(8 * chosen, 8)));
  }

 private:
  Wide join(const char* bank, const char* line, const Wide& index) const {
    const Wide line_bits = scope_.wide(line), bank_bits = scope_.wide(bank);
    Wide address(index.width() + line_bits.width() + bank_bits.width());
    address.put(0, index);
    address.put(index.width(), line_bits);
    address.put(index.width() + line_bits.width(), bank_bits);
    return address;
  }

  Scope words_, scales_;
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
