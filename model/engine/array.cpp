#include "engine/array.h"

#include <algorithm>

#include "numerics/accumulate.h"

namespace mxe {
namespace {

constexpr unsigned kMaxWordElements = 2 * kLanes;
constexpr unsigned kMaxWordScales = 2;
constexpr unsigned kDrainBanks = 2;

}  // namespace

Array::Array(const Params& params)
    : rows_(params.rows),
      num_pe_(params.num_pe),
      b_codes_(std::size_t{num_pe_} * kMaxWordElements),
      b_scales_(std::size_t{num_pe_} * kMaxWordScales),
      even_(std::size_t{params.acc_tiles} * rows_ * num_pe_),
      odd_(even_.size()),
      results_(std::size_t{kDrainBanks} * rows_ * num_pe_) {}

void Array::configure(mx::FormatId format_a, mx::FormatId format_b, bool dual) {
  format_a_ = format_a;
  format_b_ = format_b;
  dual_ = dual;
}

void Array::load_b(const Pass& pass, const OpBuf& b_buf) {
  for (unsigned pe = 0; pe < pass.cols; pe++) {
    const uint8_t* codes = b_buf.codes(pass.b_bank, pe, pass.b_word);
    const uint8_t* scales = b_buf.scales(pass.b_bank, pe, pass.b_word);
    std::copy(codes, codes + pass.count, &b_codes_[pe * kMaxWordElements]);
    b_scales_[pe * kMaxWordScales] = scales[0];
    if (pass.count > kLanes) b_scales_[pe * kMaxWordScales + 1] = scales[1];
  }
}

void Array::run(const Pass& pass, const Seq::Started& started, const OpBuf& a_buf,
                const CBuf& c_buf) {
  for (unsigned row = 0; row < pass.rows; row++) {
    run_row(pass, row, a_buf.codes(started.a_bank, row, pass.a_word),
            a_buf.scales(started.a_bank, row, pass.a_word),
            started.uses_bias ? c_buf.row(started.c_bank, row) : nullptr,
            &results_[(std::size_t{started.drain_bank} * rows_ + row) * num_pe_]);
  }
}

void Array::run_row(const Pass& pass, unsigned row, const uint8_t* a, const uint8_t* a_scales,
                    const uint32_t* bias, uint32_t* results) {
  const std::size_t first = (std::size_t{pass.tile} * rows_ + row) * num_pe_;
  const unsigned even_count = std::min(pass.count, kLanes);
  for (unsigned pe = 0; pe < pass.cols; pe++) {
    const uint8_t* b = &b_codes_[pe * kMaxWordElements];
    const uint8_t* b_scales = &b_scales_[pe * kMaxWordScales];
    uint32_t& even = even_[first + pe];
    uint32_t& odd = odd_[first + pe];
    if (pass.first) {
      even = bias ? bias[pe] : 0;
      odd = 0;
    }
    even = mx::accumulate(
        even, mx::block_dot(format_a_, a, a_scales[0], format_b_, b, b_scales[0], even_count));
    if (pass.count > kLanes) {
      odd = mx::accumulate(odd, mx::block_dot(format_a_, a + kLanes, a_scales[1], format_b_,
                                              b + kLanes, b_scales[1], pass.count - kLanes));
    }
    if (pass.last) results[pe] = dual_ ? mx::merge_chains(even, odd) : even;
  }
}

const uint32_t* Array::results(unsigned drain_bank) const {
  return &results_[std::size_t{drain_bank} * rows_ * num_pe_];
}

}  // namespace mxe
