// SPDX-License-Identifier: Apache-2.0
// Part of the adder tree: reduces WORDS words, and two ones per carry-save adder (mxe_csa), to two
// words with the same sum modulo 2^WIDTH; with cut_i, separately from bit CUT on. Each adder takes
// the next three words of a queue and appends its two results, so 8 words need 4 levels.
`default_nettype none
module mxe_tree #(
  parameter int unsigned WIDTH = 70,
  parameter int unsigned WORDS = 8,
  parameter int unsigned CUT   = mxe_pkg::PACK_POS
) (
  input  logic                     cut_i,
  input  logic [2*(WORDS-2)-1:0]   ones_i,
  input  logic [WORDS*WIDTH-1:0]   x_i,
  output logic [WIDTH-1:0]         sum_o,
  output logic [WIDTH-1:0]         carry_o
);
  localparam int unsigned Adders = WORDS - 2;
  for (genvar i = 0; i < WORDS + 2 * Adders; i++) begin : gen_word
    logic [WIDTH-1:0] x;
    if (i < WORDS) begin : gen_in
      assign x = x_i[WIDTH*i +: WIDTH];
    end
  end
  for (genvar i = 0; i < Adders; i++) begin : gen_csa
    mxe_csa #(.WIDTH(WIDTH), .CUT(CUT)) u_csa (
      .cut_i   (cut_i),
      .ones_i  (ones_i[2*i +: 2]),
      .a_i     (gen_word[3*i].x),
      .b_i     (gen_word[3*i+1].x),
      .c_i     (gen_word[3*i+2].x),
      .sum_o   (gen_word[WORDS+2*i].x),
      .carry_o (gen_word[WORDS+2*i+1].x)
    );
  end
  assign sum_o   = gen_word[3*Adders].x;
  assign carry_o = gen_word[3*Adders+1].x;

`ifdef FORMAL
`include "mxe_tree.proof.svh"
`endif
endmodule
`default_nettype wire
