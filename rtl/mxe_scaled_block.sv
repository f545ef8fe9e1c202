// SPDX-License-Identifier: Apache-2.0
// One block of 16 products of E2M1 elements, times both of its UE4M3 scales: exact, in units of
// 2^-20. The sum of the products arrives in carry-save form and with two more ones (mxe_lane).
// Latency two cycles: sum and product of the
// scales, product of both; the shift by the exponents follows combinationally.
`default_nettype none
module mxe_scaled_block (
  input  logic        clk_i,
  input  logic [12:0] sum_i,      // at most 16 * 12 * 12 in magnitude
  input  logic [12:0] carry_i,
  input  logic [1:0]  ones_i,
  input  logic [7:0]  a_scale_i,  // of mxe_scale_e4m3
  input  logic [7:0]  b_scale_i,
  output logic [47:0] term_o
);
  logic [12:0] extra, three_sum, three_carry, sum_q;
  logic [7:0]  sig_q;
  logic [4:0]  exp_q, exp_q2;
  assign extra       = {12'd0, ones_i[0]};
  assign three_sum   = sum_i ^ carry_i ^ extra;
  assign three_carry = {(sum_i[11:0] & carry_i[11:0]) | (extra[11:0] & (sum_i[11:0] ^ carry_i[11:0])),
                        ones_i[1]};

  // Not written with `*`, because an FPGA tool would use a multiplier for each.
  logic [3:0] a_sig, b_sig;
  logic [7:0] sig;
  assign a_sig = a_scale_i[3:0];
  assign b_sig = b_scale_i[3:0];
  assign sig   = ({4'd0, a_sig & {4{b_sig[0]}}} + {3'd0, a_sig & {4{b_sig[1]}}, 1'b0}) +
                 ({2'd0, a_sig & {4{b_sig[2]}}, 2'd0} + {1'b0, a_sig & {4{b_sig[3]}}, 3'd0});
  always_ff @(posedge clk_i) begin
    sum_q  <= three_sum + three_carry;
    sig_q  <= sig;
    exp_q  <= {1'b0, a_scale_i[7:4]} + {1'b0, b_scale_i[7:4]};
    exp_q2 <= exp_q;
  end

  // sum_q * sig_q by radix-4 Booth digits of sig_q: -2, -1, 0, 1 or 2 times sum_q. A negative row is a
  // one's complement; its missing one is in the next row. The top bits of the rows stand for their
  // sign extensions, whose constant parts add up to 2^23.
  logic [10:0] bits;
  assign bits = {2'b00, sig_q, 1'b0};
  for (genvar i = 0; i < 5; i++) begin : gen_row
    logic        one, two, neg;
    logic [13:0] row;
    assign one = bits[2*i+1] ^ bits[2*i];
    assign two = (bits[2*i+2] ^ bits[2*i+1]) & ~one;
    assign neg = bits[2*i+2];
    assign row = (({14{one}} & {sum_q[12], sum_q}) | ({14{two}} & {sum_q, 1'b0})) ^ {14{neg}};
  end
  logic [19:0] row0, row1, row2, row3, row4;
  assign row0 = {4'd0, ~gen_row[0].row[13], {2{gen_row[0].row[13]}}, gen_row[0].row[12:0]};
  assign row1 = {3'd0, 1'b1, ~gen_row[1].row[13], gen_row[1].row[12:0], 1'b0, gen_row[0].neg};
  assign row2 = {1'b0, 1'b1, ~gen_row[2].row[13], gen_row[2].row[12:0], 1'b0, gen_row[1].neg, 2'd0};
  assign row3 = {~gen_row[3].row[13], gen_row[3].row[12:0], 1'b0, gen_row[2].neg, 4'd0};
  assign row4 = {gen_row[4].row[11:0], 1'b0, gen_row[3].neg, 6'd0};

  logic [19:0] sum3, carry3, sum4, carry4, sum5, carry5, product_q;
  assign sum3   = row0 ^ row1 ^ row2;
  assign carry3 = {(row0[18:0] & row1[18:0]) | (row2[18:0] & (row0[18:0] ^ row1[18:0])), 1'b0};
  assign sum4   = sum3 ^ row3 ^ row4;
  assign carry4 = {(sum3[18:0] & row3[18:0]) | (row4[18:0] & (sum3[18:0] ^ row3[18:0])), 1'b0};
  assign sum5   = carry3 ^ sum4 ^ carry4;
  assign carry5 = {(carry3[18:0] & sum4[18:0]) | (carry4[18:0] & (carry3[18:0] ^ sum4[18:0])), 1'b0};
  always_ff @(posedge clk_i) product_q <= sum5 + carry5;

  assign term_o = {{28{product_q[19]}}, product_q} << exp_q2;

  logic unused_bits;
  assign unused_bits = &{1'b0, gen_row[4].row[13:12], gen_row[4].neg, gen_row[4].two};

`ifdef FORMAL
`include "mxe_scaled_block.proof.svh"
`endif
endmodule
`default_nettype wire
