// SPDX-License-Identifier: Apache-2.0
// Expands the packed elements of an operand word (little-endian bit order, as in memory) to one
// byte per lane. With 4-bit elements, lane i holds element i in its low nibble and element 32 + i
// in its high nibble: the even and, at the dual rate, the odd block.
`default_nettype none
module mxe_expand (
  input  logic [mxe_pkg::WORD_W-1:0] packed_i,
  input  mxe_pkg::fmt_info_t         fmt_i,
  output logic [mxe_pkg::WORD_W-1:0] lanes_o
);
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_lane
    assign lanes_o[8*i +: 8] =
      fmt_i.is4 ? {packed_i[4*(mxe_pkg::LANES + i) +: 4], packed_i[4*i +: 4]}
                : fmt_i.is6 ? {2'b00, packed_i[6*i +: 6]} : packed_i[8*i +: 8];
  end
`ifdef FORMAL
  // mxe_opbuf asserts this.
  always_comb expand_format : assume (!(fmt_i.is4 && fmt_i.is6));
`endif
endmodule
`default_nettype wire
