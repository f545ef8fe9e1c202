// SPDX-License-Identifier: Apache-2.0
// One multiplier lane. With dual_i, the low and high nibbles belong to two blocks (group 0). Their
// products lie side by side in the 8x8 product without its mixed terms; the odd block's product
// moves to bit PACK_POS, so that one tree sums both blocks. Latency one cycle: products are
// registered, the radix-16 alignment follows combinationally.
//
// A negative product leaves as its one's complement, with ones over and below the alignment
// positions. It is therefore one too small for every group: ones_o is the missing one. At the dual
// rate the two products are separate numbers, each with a missing one: {odd, even}.
`default_nettype none
module mxe_lane #(
  parameter int unsigned WIDTH = 70
) (
  input  logic             clk_i,
  input  logic             dual_i,
  input  mxe_pkg::dec_t    a_i,
  input  mxe_pkg::dec_t    b_i,
  output logic [WIDTH-1:0] product_o,
  output logic [1:0]       ones_o
);
  localparam int unsigned PackW = mxe_pkg::PACK_POS + 9;

  logic [1:0] neg;
  logic [7:0] ma, mb;
  logic [3:0] grp;
  assign neg = a_i.sign ^ b_i.sign;
  assign ma  = a_i.mag;
  assign mb  = b_i.mag;
  assign grp = {1'b0, a_i.grp} + {1'b0, b_i.grp};

  // One sum of the rows of partial products, so that carries propagate once. Not written with `*`,
  // because an FPGA tool would use an 18-bit multiplier for each.
  logic [7:0] for_low, for_high;
  assign for_low  = {dual_i ? 4'd0 : ma[7:4], ma[3:0]};
  assign for_high = {ma[7:4], dual_i ? 4'd0 : ma[3:0]};
  for (genvar i = 0; i < 8; i++) begin : gen_row
    logic [7:0]  term;
    logic [15:0] row;
    assign term = ((i < 4) ? for_low : for_high) & {8{mb[i]}};
    assign row  = {8'd0, term} << i;
  end
  logic [15:0] mag;
  assign mag = ((gen_row[0].row + gen_row[1].row) + (gen_row[2].row + gen_row[3].row)) +
               ((gen_row[4].row + gen_row[5].row) + (gen_row[6].row + gen_row[7].row));

  logic [15:0] mag_q;
  logic [1:0]  neg_q;
  logic [3:0]  grp_q;
  always_ff @(posedge clk_i) begin
    mag_q <= mag;
    neg_q <= neg;
    grp_q <= grp;
  end

  assign ones_o = neg_q;

  // Shift by the group's two lower bits here, by its upper bits below.
  logic [PackW-1:0] near, flip, flipped;
  assign near    = dual_i ? {1'b0, mag_q[15:8], {(mxe_pkg::PACK_POS-8){1'b0}}, mag_q[7:0]}
                          : {{(PackW-16){1'b0}}, mag_q} << {grp_q[1:0], 2'b00};
  assign flip    = {{(PackW-mxe_pkg::PACK_POS){dual_i ? neg_q[1] : neg_q[0]}},
                    {mxe_pkg::PACK_POS{neg_q[0]}}};
  assign flipped = near ^ flip;

  localparam int unsigned FarW = 48;
  logic [WIDTH+FarW-1:0] filled;
  assign filled = {{(WIDTH-PackW){flip[PackW-1]}}, flipped, {FarW{flip[PackW-1]}}};
  always_comb begin
    case (grp_q[3:2])
      2'd0:    product_o = filled[48 +: WIDTH];
      2'd1:    product_o = filled[32 +: WIDTH];
      2'd2:    product_o = filled[16 +: WIDTH];
      default: product_o = filled[0 +: WIDTH];
    endcase
  end

`ifdef FORMAL
`include "mxe_lane.proof.svh"
`endif
endmodule
`default_nettype wire
