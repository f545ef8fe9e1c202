// SPDX-License-Identifier: Apache-2.0
// Exact dot product of one block: lanes in groups of four and their adder tree. Four clocks from
// the operands to the sum: multiply, tree 1, tree 2, combine. With dual_i, sum_o carries the even
// block's sum at bit 0 and the odd block's at bit PACK_POS.
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
  // Above 64 bits the sum is built from two limbs: the low one unsigned, with room for 32 terms.
  localparam bit          TwoLimbs = (TREE_W > 64);
  localparam int unsigned LoW      = TwoLimbs ? 36 : TREE_W;
  localparam int unsigned HiW      = TwoLimbs ? (TREE_W - 36) : 1;
  localparam int unsigned LoSumW   = TwoLimbs ? (LoW + $clog2(mxe_pkg::LANES)) : LoW;

  localparam int unsigned Quads    = mxe_pkg::LANES / 4;

  logic [Quads*LoSumW-1:0] lo;
  logic [Quads*HiW-1:0]    hi;
  for (genvar i = 0; i < Quads; i++) begin : gen_quad
    mxe_quad #(
      .LO_W     (LoW),
      .HI_W     (HiW),
      .LO_SUM_W (LoSumW)
    ) u_quad (
      .clk_i  (clk_i),
      .dual_i (dual_i),
      .a_i    (a_i[4*mxe_pkg::DEC_W*i +: 4*mxe_pkg::DEC_W]),
      .b_i    (b_i[4*mxe_pkg::DEC_W*i +: 4*mxe_pkg::DEC_W]),
      .lo_o   (lo[LoSumW*i +: LoSumW]),
      .hi_o   (hi[HiW*i +: HiW])
    );
  end

  logic [LoSumW-1:0] lo_sum, lo_sum_q;
  mxe_tree #(.WIDTH(LoSumW)) u_tree_lo (.x_i(lo), .sum_o(lo_sum));
  always_ff @(posedge clk_i) lo_sum_q <= lo_sum;

  logic [HiW-1:0] hi_sum, hi_sum_q;
  mxe_tree #(.WIDTH(HiW)) u_tree_hi (.x_i(hi), .sum_o(hi_sum));
  always_ff @(posedge clk_i) hi_sum_q <= hi_sum;

  logic [TREE_W-1:0] sum_q;
  if (TwoLimbs) begin : gen_two_limbs
    always_ff @(posedge clk_i) sum_q <= {hi_sum_q, {LoW{1'b0}}} + TREE_W'(lo_sum_q);
  end else begin : gen_one_limb
    logic unused_hi;
    assign unused_hi = &{1'b0, hi_sum_q};
    always_ff @(posedge clk_i) sum_q <= lo_sum_q;
  end
  assign sum_o = sum_q;
endmodule
`default_nettype wire
