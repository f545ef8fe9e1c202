// SPDX-License-Identifier: Apache-2.0
// Exact dot product of one block, or of two with dual_i: lanes in groups of four and their adder
// tree. Latency four cycles: multiply, tree 1, tree 2, combine. Sums stay in carry-save form until
// the final addition. With dual_i, sum_o is the even block's sum + the odd block's * 2^PACK_POS.
`default_nettype none
module mxe_dot #(
  parameter int unsigned TREE_W = 70
) (
  input  logic                                     clk_i,
  input  logic                                     dual_i,
  input  logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] a_i,
  input  logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] b_i,
  output logic [TREE_W-1:0]                        sum_o
);
  localparam int unsigned Quads = mxe_pkg::LANES / 4;
  localparam int unsigned Words = 2 * Quads + 1;

  logic [Words*TREE_W-1:0] words;
  for (genvar i = 0; i < Quads; i++) begin : gen_quad
    mxe_quad #(.WIDTH(TREE_W)) u_quad (
      .clk_i   (clk_i),
      .dual_i  (dual_i),
      .a_i     (a_i[4*mxe_pkg::DEC_W*i +: 4*mxe_pkg::DEC_W]),
      .b_i     (b_i[4*mxe_pkg::DEC_W*i +: 4*mxe_pkg::DEC_W]),
      .sum_o   (words[TREE_W*(2*i) +: TREE_W]),
      .carry_o (words[TREE_W*(2*i+1) +: TREE_W])
    );
  end

  logic [mxe_pkg::LANES-1:0] even_neg, odd_neg;
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_sign
    assign even_neg[i] = a_i[mxe_pkg::DEC_W*i] ^ b_i[mxe_pkg::DEC_W*i];
    assign odd_neg[i]  = a_i[mxe_pkg::DEC_W*i+1] ^ b_i[mxe_pkg::DEC_W*i+1];
  end
  mxe_negatives #(.WIDTH(TREE_W)) u_negatives (
    .clk_i  (clk_i),
    .dual_i (dual_i),
    .even_i (even_neg),
    .odd_i  (odd_neg),
    .lack_o (words[TREE_W*(Words-1) +: TREE_W])
  );

  logic [TREE_W-1:0] tree_sum, tree_carry, tree_sum_q, tree_carry_q, sum_q;
  mxe_tree #(.WIDTH(TREE_W), .WORDS(Words)) u_tree (
    .x_i     (words),
    .sum_o   (tree_sum),
    .carry_o (tree_carry)
  );
  always_ff @(posedge clk_i) begin
    tree_sum_q   <= tree_sum;
    tree_carry_q <= tree_carry;
    sum_q        <= tree_sum_q + tree_carry_q;
  end
  assign sum_o = sum_q;
endmodule
`default_nettype wire
