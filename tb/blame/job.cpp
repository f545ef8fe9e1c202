// SPDX-License-Identifier: Apache-2.0
#include "tb/blame/job.h"

#include "model/numerics/base/error.h"

namespace mxe::blame {
namespace {

constexpr unsigned kFormatWidth = 66, kBlocksWidth = 29;

/// Extracts the fields of a packed struct, starting at its top bit.
class Fields {
 public:
  Fields(const Wide& bits, unsigned end) : bits_(bits), at_(end) {}

  uint64_t take(unsigned width) {
    at_ -= width;
    return bits_.get64(at_, width);
  }
  uint32_t take32(unsigned width) { return static_cast<uint32_t>(take(width)); }
  bool flag() { return take(1) != 0; }
  blocks::FmtInfo format() {
    blocks::FmtInfo info;
    take(1);  // valid
    info.is_int = flag();
    info.is4 = flag();
    info.is6 = flag();
    info.has_nan = flag();
    info.has_inf = flag();
    info.bits = take32(4);
    take(3);  // exp_bits
    info.man_bits = take32(3);
    info.sign_mask = take32(8);
    info.mag_mask = take32(7);
    info.special_mask = take32(7);
    info.max_code = take32(8);
    info.emax = take32(4);
    info.emin_neg = take32(4);
    info.lsb = blocks::sign_extend32<6>(take32(6));
    take(6);  // mag_bits
    return info;
  }
  Job::Operand operand() {
    Job::Operand operand;
    operand.fmt = format();
    operand.addr = take(64);
    operand.stride = take32(32);
    operand.scale_addr = take(64);
    operand.scale_stride = take32(32);
    operand.word_bytes = take32(6);
    operand.row_bytes = take32(32);
    operand.coarse = take32(2);
    return operand;
  }
  unsigned left() const { return at_; }

 private:
  const Wide& bits_;
  unsigned at_;
};

}  // namespace

blocks::FmtInfo format_of(const Wide& bits, unsigned low) {
  return Fields(bits, low + kFormatWidth).format();
}

Job::Job(const Wide& job) {
  constexpr unsigned kWidth = 1142;
  if (job.width() != kWidth) throw Error("the RTL's job_t has an unexpected width");
  Fields fields(job, kWidth);
  a = fields.operand();
  b = fields.operand();
  c.en = fields.flag();
  c.last = fields.flag();
  c.bf16 = fields.flag();
  c.one_row = fields.flag();
  c.addr = fields.take(64);
  c.stride = fields.take32(32);
  d.mx = fields.flag();
  d.two_bytes = fields.flag();
  d.fp16 = fields.flag();
  d.fmt = fields.format();
  d.rule = fields.take32(2);
  d.special = fields.flag();
  d.addr = fields.take(64);
  d.stride = fields.take32(32);
  d.scale_addr = fields.take(64);
  d.scale_stride = fields.take32(32);
  batch = fields.take32(16);
  m = fields.take32(32);
  n = fields.take32(32);
  dual = fields.flag();
  nvfp4 = fields.flag();
  alpha_en = fields.flag();
  alpha = fields.take32(32);
  scale_shift = fields.take32(2);
  k_blocks = fields.take32(kBlocksWidth);
  k_words = fields.take32(kBlocksWidth);
  tail_count = fields.take32(7);
}

}  // namespace mxe::blame
