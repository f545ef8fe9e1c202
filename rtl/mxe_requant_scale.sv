// SPDX-License-Identifier: Apache-2.0
// Scale of a block of results: E8M0 code derived from the block's largest magnitude by the scale
// rule, clamped to 0 .. 254; 255 (NaN) if the magnitude is infinite or NaN.
`default_nettype none
module mxe_requant_scale (
  input  logic [mxe_pkg::AMAX_W-1:0] amax_i,
  input  mxe_pkg::fmt_info_t         fmt_i,
  input  logic [1:0]                 rule_i,
  output logic [7:0]                 scale_o
);
  // floor(log2 amax) + 127 and fraction. Below 2^-127 every rule gives the smallest scale, so
  // relevant subnormals have their top bit set; exponent field 0 is correct for them.
  logic        subnormal, tiny;
  logic [7:0]  exponent;
  logic [8:0]  frac;   // the lowest bit is a sticky bit
  assign exponent  = amax_i[16:9];
  assign subnormal = (exponent == 8'd0);
  assign tiny      = subnormal & ~amax_i[8];
  assign frac      = subnormal ? {amax_i[7:1], 1'b0, amax_i[0]} : amax_i[8:0];

  // even: round half up to the mantissa bits and use the carry. rceil: compare with the largest
  // element, whose fraction starts with as many ones as it has mantissa bits (one fewer in E4M3,
  // whose last code is NaN), followed by zeros.
  logic [2:0] ones;
  logic [8:0] below_half, below_ones;  // fraction bits below these positions
  logic       even_up, above_max;
  assign ones       = fmt_i.man_bits - {2'd0, fmt_i.has_nan & ~fmt_i.has_inf};
  assign below_half = 9'h0FF >> fmt_i.man_bits;
  assign below_ones = 9'h1FF >> ones;
  assign even_up    = &(frac | below_half);
  assign above_max  = (&(frac | below_ones)) & (|(frac & below_ones));

  logic up;
  always_comb begin
    case (rule_i)
      mxe_reg_pkg::RULE_FLOOR: up = 1'b0;
      mxe_reg_pkg::RULE_CEIL:  up = |frac;
      mxe_reg_pkg::RULE_EVEN:  up = even_up;
      default:                 up = above_max;
    endcase
  end

  logic signed [8:0] code;
  assign code = $signed({1'b0, exponent}) + $signed({8'd0, up}) -
                $signed({5'd0, fmt_i.emax});
  always_comb begin
    if (&exponent) scale_o = 8'hFF;
    else if (tiny | code[8]) scale_o = 8'd0;
    else if (code[7:0] == 8'hFF) scale_o = 8'hFE;
    else scale_o = code[7:0];
  end
endmodule
`default_nettype wire
