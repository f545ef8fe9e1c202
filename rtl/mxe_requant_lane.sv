// SPDX-License-Identifier: Apache-2.0
// Converts one result to an element code: x / 2^(scale - 127) rounded to nearest even, with all
// shifted-out bits in a sticky bit. Four stages: leading one, place, shift, round. scale_i is one
// cycle later than x_i. Overflowing elements saturate, or become infinity or NaN if special_i is
// set and the format has NaN. All codes of a block with a NaN scale are 0.
`default_nettype none
module mxe_requant_lane (
  input  logic                         clk_i,
  input  mxe_pkg::fmt_info_t           fmt_i,
  input  logic                         special_i,
  input  logic [mxe_pkg::NARROW_W-1:0] x_i,
  input  logic [7:0]                   scale_i,
  output logic [7:0]                   code_o,     // four cycles after x_i
  output logic                         over_o
);
  // ---------------------------------------------------------------- stage 1: leading one
  // Every number except zero (exponent -30) has a leading one and an exponent of at least -22.
  mxe_pkg::narrow_t  x;
  logic              zero;
  logic [7:0]        sig_q1;
  logic signed [8:0] exp_q1;
  logic              more_q1, sign_q1;
  assign x    = x_i;
  assign zero = x.exponent[8] & (x.exponent[4:3] == 2'd0);
  always_ff @(posedge clk_i) begin
    sig_q1  <= {~zero, x.fraction};
    exp_q1  <= x.exponent;
    more_q1 <= x.more;
    sign_q1 <= x.sign;
  end

  // ---------------------------------------------------------------- stage 2: place
  // rise: binades above the smallest normal number; if negative, additional right shift (drop).
  logic signed [10:0] rise;
  logic [3:0]         drop;
  logic [3:0]         right_q2;  // shift relative to the format with the most mantissa bits, 0 to 8
  logic [7:0]         base_q2;   // code of the binade's first number, minus its leading one
  logic [7:0]         sig_q2;
  logic               more_q2, sign_q2, nan_q2;
  assign rise = {{2{exp_q1[8]}}, exp_q1} - $signed({3'd0, scale_i}) +
                $signed({7'd0, fmt_i.emin_neg});
  assign drop = (rise < -11'sd8) ? 4'd8 : (4'd0 - rise[3:0]);
  logic [4:0] right;
  assign right = 5'd6 - {2'd0, fmt_i.man_bits} + (rise[10] ? {1'b0, drop} : 5'd0);
  always_ff @(posedge clk_i) begin
    right_q2 <= (right > 5'd8) ? 4'd8 : right[3:0];
    base_q2  <= rise[10] ? 8'd0 : (rise[7:0] << fmt_i.man_bits);
    sig_q2   <= sig_q1;
    more_q2  <= more_q1;
    sign_q2  <= sign_q1;
    nan_q2   <= &scale_i;
  end

  // ---------------------------------------------------------------- stage 3: shift
  // The upper 7 bits are the number, the next one is the round bit.
  logic [15:0] wide;
  logic [6:0]  num_q3;
  logic        half_q3, sticky_q3, sign_q3, nan_q3;
  logic [7:0]  base_q3;
  assign wide = {sig_q2, 8'd0} >> right_q2;
  always_ff @(posedge clk_i) begin
    num_q3    <= wide[15:9];
    half_q3   <= wide[8];
    sticky_q3 <= (|wide[7:0]) | more_q2;
    base_q3   <= base_q2;
    sign_q3   <= sign_q2;
    nan_q3    <= nan_q2;
  end

  // ---------------------------------------------------------------- stage 4: round
  // A carry into the next binade gives the correct code.
  logic [7:0] code_q4;
  logic       sign_q4, nan_q4;
  always_ff @(posedge clk_i) begin
    code_q4 <= base_q3 + {1'b0, num_q3} + {7'd0, half_q3 & (sticky_q3 | num_q3[0])};
    sign_q4 <= sign_q3;
    nan_q4  <= nan_q3;
  end

  logic [7:0] mag;
  logic       over;
  assign over = (code_q4 > fmt_i.max_code);
  // The code above the largest number is NaN or infinity, if the format has one.
  assign mag = over ? (fmt_i.max_code + {7'd0, special_i & fmt_i.has_nan}) : code_q4;
  assign over_o = over & ~nan_q4;
  always_comb begin
    if (nan_q4)            code_o = 8'd0;
    else if (fmt_i.is_int) code_o = sign_q4 ? (8'd0 - mag) : mag;
    else                   code_o = mag | (fmt_i.sign_mask & {8{sign_q4}});
  end
endmodule
`default_nettype wire
