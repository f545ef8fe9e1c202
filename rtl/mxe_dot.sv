// SPDX-License-Identifier: Apache-2.0
// Exact dot product of one block: 32 lanes and their adder tree. Four clocks from the operands to
// the sum: multiply, tree 1, tree 2, combine. With dual_i, sum_o carries the even block's sum at
// bit 0 and the odd block's at bit PACK_POS.
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

  logic [mxe_pkg::LANES*LoSumW-1:0] lo;
  logic [mxe_pkg::LANES*HiW-1:0]    hi;
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_lane
    logic [LoW-1:0] lane_lo;
    mxe_lane #(
      .LO_W (LoW),
      .HI_W (HiW)
    ) u_lane (
      .clk_i  (clk_i),
      .dual_i (dual_i),
      .a_i    (a_i[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .b_i    (b_i[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .lo_o   (lane_lo),
      .hi_o   (hi[HiW*i +: HiW])
    );
    assign lo[LoSumW*i +: LoSumW] = LoSumW'(lane_lo);
  end

  logic [LoSumW-1:0] lo_sum, lo_sum_q;
  mxe_tree #(.WIDTH(LoSumW)) u_tree_lo (.clk_i(clk_i), .x_i(lo), .sum_o(lo_sum));
  always_ff @(posedge clk_i) lo_sum_q <= lo_sum;

  logic [TREE_W-1:0] sum_q;
  if (TwoLimbs) begin : gen_hi
    logic [HiW-1:0] hi_sum, hi_sum_q;
    mxe_tree #(.WIDTH(HiW)) u_tree_hi (.clk_i(clk_i), .x_i(hi), .sum_o(hi_sum));
    always_ff @(posedge clk_i) hi_sum_q <= hi_sum;
    always_ff @(posedge clk_i) sum_q <= {hi_sum_q, {LoW{1'b0}}} + TREE_W'(lo_sum_q);
  end else begin : gen_lo
    logic unused_hi;
    assign unused_hi = &{1'b0, hi};
    always_ff @(posedge clk_i) sum_q <= lo_sum_q;
  end
  assign sum_o = sum_q;
endmodule
`default_nettype wire
