// SPDX-License-Identifier: Apache-2.0
// One multiplier lane. An 8x8 product is four 4x4 products; with dual_i the low and the high
// nibbles are two elements of two blocks (of group 0), and the two outer 4x4 products travel
// packed, the odd block's at bit PACK_POS, so that one tree sums both blocks. Two clocks: products
// are registered; half of the radix-16 alignment precedes the register, half follows
// combinationally. With HI_W > 1 (LO_W 36, HI_W 34) the aligned product leaves in two limbs, p = hi
// * 2^LO_W + lo, so that carries stay short; with HI_W = 1 it is lo alone, LO_W bits of two's
// complement.
`default_nettype none
module mxe_lane #(
  parameter int unsigned LO_W = 36,
  parameter int unsigned HI_W = 34
) (
  input  logic             clk_i,
  input  logic             dual_i,
  input  mxe_pkg::dec_t    a_i,
  input  mxe_pkg::dec_t    b_i,
  output logic [LO_W-1:0]  lo_o,
  output logic [HI_W-1:0]  hi_o
);
  localparam int unsigned PackW = mxe_pkg::PACK_POS + 9;

  logic [1:0] neg;
  logic [7:0] ma, mb;
  logic [3:0] grp;
  assign neg = a_i.sign ^ b_i.sign;
  assign ma  = a_i.mag;
  assign mb  = b_i.mag;
  assign grp = {1'b0, a_i.grp} + {1'b0, b_i.grp};

  logic [7:0] ll, lh, hl, hh;
  assign ll = {4'd0, ma[3:0]} * {4'd0, mb[3:0]};
  assign lh = {4'd0, ma[3:0]} * {4'd0, mb[7:4]};
  assign hl = {4'd0, ma[7:4]} * {4'd0, mb[3:0]};
  assign hh = {4'd0, ma[7:4]} * {4'd0, mb[7:4]};

  logic [15:0] mag;
  assign mag = {hh, ll} + {3'd0, {1'b0, lh} + {1'b0, hl}, 4'd0};

  logic signed [16:0] wide;
  logic signed [8:0]  even, odd;
  assign wide = neg[0] ? (17'sd0 - $signed({1'b0, mag})) : $signed({1'b0, mag});
  assign even = neg[0] ? (9'sd0 - $signed({1'b0, ll})) : $signed({1'b0, ll});
  assign odd  = neg[1] ? (9'sd0 - $signed({1'b0, hh})) : $signed({1'b0, hh});

  // A negative even product borrows one from the odd product above it.
  logic [8:0]       odd_adj;
  logic [PackW-1:0] packed_pair;
  assign odd_adj     = odd - {8'd0, even[8]};
  assign packed_pair = {odd_adj, {(mxe_pkg::PACK_POS-9){even[8]}}, even};

  // The group's two lower bits shift the product here, the upper ones after the register.
  logic signed [PackW-1:0] prod_q, wide_shifted;
  logic [1:0]              near;
  assign wide_shifted = {{(PackW-17){wide[16]}}, wide} << {near, 2'b00};
  always_ff @(posedge clk_i) prod_q <= dual_i ? packed_pair : wide_shifted;

  if (HI_W > 1) begin : gen_two_limbs
    // Groups 0 to 8 start in the low limb, 9 and above lie in the high limb alone.
    localparam int unsigned WideW = LO_W + 14;
    logic                    in_hi, in_hi_q, hi_far_q;
    logic [2:0]              hi_grp;
    logic [1:0]              far_q;
    logic signed [WideW-1:0] low_val;
    logic signed [HI_W-1:0]  high_val;
    assign in_hi  = (grp >= 4'd9);
    assign hi_grp = 3'(grp - 4'd9);
    assign near   = in_hi ? hi_grp[1:0] : grp[1:0];
    always_ff @(posedge clk_i) begin
      in_hi_q  <= in_hi;
      hi_far_q <= hi_grp[2];
      far_q    <= grp[3:2];
    end
    assign low_val  = {{(WideW-PackW){prod_q[PackW-1]}}, prod_q} << {far_q, 4'b0000};
    assign high_val = {{(HI_W-PackW){prod_q[PackW-1]}}, prod_q} << {hi_far_q, 4'b0000};
    assign lo_o     = in_hi_q ? {LO_W{1'b0}} : low_val[LO_W-1:0];
    assign hi_o     = in_hi_q ? high_val
                              : {{(HI_W-14){low_val[WideW-1]}}, low_val[WideW-1:LO_W]};
  end else begin : gen_one_limb
    logic [1:0] far_q;
    assign near = grp[1:0];
    always_ff @(posedge clk_i) far_q <= grp[3:2];
    assign lo_o = {{(LO_W-PackW){prod_q[PackW-1]}}, prod_q} << {far_q, 4'b0000};
    assign hi_o = 1'b0;
  end
endmodule
`default_nettype wire
