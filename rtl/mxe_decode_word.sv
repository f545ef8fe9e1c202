// SPDX-License-Identifier: Apache-2.0
// Decodes one operand word. The first count_i elements are within K: at the single rate 1 to 32,
// all if more; at the dual rate 1 to 64, even block first.
`default_nettype none
module mxe_decode_word (
  input  logic [mxe_pkg::WORD_W-1:0]               word_i,
  input  mxe_pkg::fmt_info_t                       fmt_i,
  input  logic                                     dual_i,
  input  logic [6:0]                               count_i,
  output logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] dec_o,
  output logic [mxe_pkg::FLAG_W-1:0]               flags_o  // {nan, inf, zero}
);
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_lane
    mxe_decode u_decode (
      .code_i (word_i[8*i +: 8]),
      .fmt_i  (fmt_i),
      .dual_i (dual_i),
      .keep_i ({count_i > 7'(mxe_pkg::LANES + i), count_i > 7'(i)}),
      .dec_o  (dec_o[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .nan_o  (flags_o[2*mxe_pkg::LANES + i]),
      .inf_o  (flags_o[mxe_pkg::LANES + i]),
      .zero_o (flags_o[i])
    );
  end
`ifdef FORMAL
`include "mxe_decode_word.proof.svh"
`endif
endmodule
`default_nettype wire
