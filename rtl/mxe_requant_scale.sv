// SPDX-License-Identifier: Apache-2.0
// Scale of a block of results: the E8M0 code that the rule derives from the block's largest
// magnitude, clamped to 0 .. 254; 255 (NaN) if that is infinite or NaN.
`default_nettype none
module mxe_requant_scale (
  input  logic [mxe_pkg::AMAX_W-1:0] amax_i,
  input  mxe_pkg::fmt_info_t         fmt_i,
  input  logic [1:0]                 rule_i,
  output logic [7:0]                 scale_o
);
  // floor(log2 amax) + 127 and the fraction. Below 2^-127 every rule gives the smallest scale, so
  // the only subnormals that count are those with their top bit set: exponent field 0 then says
  // the right thing.
  logic        subnormal, tiny;
  logic [7:0]  exponent;
  logic [8:0]  frac;   // its lowest bit stands for all below
  assign exponent  = amax_i[16:9];
  assign subnormal = (exponent == 8'd0);
  assign tiny      = subnormal & ~amax_i[8];
  assign frac      = subnormal ? {amax_i[7:1], 1'b0, amax_i[0]} : amax_i[8:0];

  // even: the carry of rounding half up to the mantissa bits. rceil: above the largest element,
  // whose fraction begins with as many ones as it has mantissa bits (one less if the last code is
  // NaN) and has nothing behind them.
  logic [2:0] ones;
  logic [8:0] below_half, below_ones;  // the bits of the fraction below those
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
