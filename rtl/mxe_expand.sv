// SPDX-License-Identifier: Apache-2.0
// Packed elements of one operand word (little-endian bit order, as in memory) to one 8-bit
// container per lane. Of 4-bit elements lane i takes element i (low nibble) and element 32 + i (high
// nibble): the even and, at the dual rate, the odd block.
`default_nettype none
module mxe_expand (
  input  logic [mxe_pkg::WORD_W-1:0] packed_i,
  input  logic [mxe_pkg::FmtW-1:0]   fmt_i,
  output logic [mxe_pkg::WORD_W-1:0] lanes_o
);
  logic is4, is6;
  assign is4 = mxe_pkg::fmt_is4(fmt_i);
  assign is6 = mxe_pkg::fmt_is6(fmt_i);
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_lane
    assign lanes_o[8*i +: 8] = is4 ? {packed_i[4*(mxe_pkg::LANES + i) +: 4], packed_i[4*i +: 4]}
                             : is6 ? {2'b00, packed_i[6*i +: 6]}
                                   : packed_i[8*i +: 8];
  end
`ifdef FORMAL
  // Of the words in use; mxe_opbuf asserts it of its own.
  always_comb expand_format : assume (fmt_i <= mxe_pkg::FmtInt8);
`endif
endmodule
`default_nettype wire
