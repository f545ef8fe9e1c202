// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/memories.h"

#include <algorithm>

#include "model/blocks/pkg.h"
#include "model/params/hardware.h"

namespace mxe::explore {
namespace {

using std::uint64_t;

// Constants of rtl/mxe_pkg.sv that determine memory sizes.
constexpr uint64_t kWordBits = 256, kWritesUnderWay = 256, kWriteQueue = 16, kRequantQueue = 4,
                   kDrainQueue = 16, kCollectingBanks = 2, kLongest = 8, kDescriptorBits = 896;

/// Width of numbers from 0 to values - 1 (SystemVerilog's $clog2): 5 values need 3 bits.
uint64_t bits_for(uint64_t values) {
  uint64_t bits = 0;
  while ((uint64_t{1} << bits) < values) bits++;
  return bits;
}

uint64_t address_bits(uint64_t words) { return words > 1 ? bits_for(words) : 1; }

uint64_t operand_buffer(uint64_t banks, uint64_t lines, uint64_t words, uint64_t scales) {
  const uint64_t all_lines = banks << address_bits(lines);
  return kWordBits * (all_lines << address_bits(words)) + 8 * all_lines * scales * words;
}

uint64_t drain(const Params& p, uint64_t lanes_out) {
  const uint64_t columns = std::max(p.num_pe, kBlockSize), chains = p.fp4_dual ? 2 : 1;
  const uint64_t tiles = 2 * p.rows * p.num_pe * 32 * chains, output = kDrainQueue * 32 * lanes_out;
  const uint64_t collected =
      kCollectingBanks * p.rows *
      (columns * blocks::kNarrowWidth + columns / kBlockSize * blocks::kAmaxWidth);
  return tiles + output + collected + kRequantQueue * ((2 + 6) + (6 + 8 + 256));
}

uint64_t read_port(const Params& p, uint64_t offset_bits) {
  const uint64_t longest = std::max(
      {uint64_t{4} * p.num_pe, uint64_t{128}, kLongest * p.a_slab_k, 32768u / uint64_t{p.mem_w}});
  const uint64_t tag_bits = bits_for(p.rows) + 10;
  return read_outstanding(p) * (offset_bits + bits_for(longest + 1) + tag_bits + 64 - offset_bits);
}

uint64_t write_port(const Params& p, uint64_t offset_bits, uint64_t lanes_out) {
  const uint64_t longest_row = p.num_pe > 8 ? 4 * p.num_pe : 32;
  // Flags of a row: is a record, joins the next row, follows the previous row, is half full
  // (only rows of several segments).
  const uint64_t flags = p.num_pe > lanes_out ? 4 : 3;
  const uint64_t row = flags + offset_bits + bits_for(longest_row + 1);
  const uint64_t beats = std::min<uint64_t>(p.max_burst, 4096 / p.mem_bytes());
  // Bursts of the outstanding records: two per record on a port of 64 bits with MAX_BURST 1.
  const uint64_t records = kRecords * (p.mem_w < 128 && p.max_burst == 1 ? 2 : 1);
  return kWriteQueue * (row + address_bits(beats)) + kWritesUnderWay * (64 - offset_bits + 1) +
         records * (bits_for(kWritesUnderWay) + 1);
}

}  // namespace

uint64_t memory_bits(const Params& p) {
  const uint64_t lanes_out = std::min(p.num_pe, p.mem_w / 32);
  const uint64_t offset_bits = bits_for(p.mem_bytes());
  const uint64_t bias = uint64_t{2} * p.rows * p.num_pe * 32;
  const uint64_t accumulators =
      uint64_t{p.num_pe} * p.rows * p.acc_tiles * 32 * (p.fp4_dual ? 2 : 1);
  const uint64_t descriptors = kDescriptorsAhead * kDescriptorBits;
  const uint64_t scales = most_word_scales(p);
  return operand_buffer(2, p.rows, p.a_slab_k / kBlockSize, scales) +
         operand_buffer(p.b_banks, p.num_pe, p.b_buf_k / kBlockSize, scales) + bias + accumulators +
         descriptors + drain(p, lanes_out) + read_port(p, offset_bits) +
         write_port(p, offset_bits, lanes_out);
}

}  // namespace mxe::explore
