// SPDX-License-Identifier: Apache-2.0
// Multiplies a result by the factor of its job: RNE_fp32(alpha * x), subnormals kept. An exact zero is
// +0; a product that underflows keeps its sign. Latency ALPHA_LAT = 5 cycles: normalise, multiply, add,
// align, round.
`default_nettype none
module mxe_alpha (
  input  logic             clk_i,
  input  mxe_pkg::factor_t factor_i,   // of mxe_factor, stable during a job
  input  logic [31:0]      x_i,
  output logic [31:0]      product_o
);
  typedef enum logic [1:0] { SpecNone, SpecNan, SpecInf, SpecZero } spec_e;

  // ---------------------------------------------------------------- stage 1: normalise
  mxe_pkg::factor_t   x;
  logic signed [9:0]  x_exp, a_exp;
  logic [23:0]        norm_q1;
  logic signed [10:0] exp_q1;   // of the product in [1, 4), biased by 2 * 127
  logic               sign_q1;
  spec_e              spec_q1;
  mxe_factor u_x (.x_i(x_i), .factor_o(x));
  assign x_exp = x.exponent;
  assign a_exp = factor_i.exponent;
  always_ff @(posedge clk_i) begin
    norm_q1 <= x.sig;
    exp_q1  <= $signed({x_exp[9], x_exp}) + $signed({a_exp[9], a_exp});
    sign_q1 <= x.sign ^ factor_i.sign;
    spec_q1 <= (x.is_nan | factor_i.is_nan | (x.is_inf & factor_i.is_zero) |
                (x.is_zero & factor_i.is_inf)) ? SpecNan
               : (x.is_inf | factor_i.is_inf) ? SpecInf
               : (x.is_zero | factor_i.is_zero) ? SpecZero : SpecNone;
  end

  // ---------------------------------------------------------------- stages 2 and 3: multiply, add
  logic [35:0]        low_q2, high_q2;
  logic [47:0]        product_q3;
  logic signed [10:0] exp_q2, exp_q3;
  logic               sign_q2, sign_q3;
  spec_e              spec_q2, spec_q3;
  always_ff @(posedge clk_i) begin
    low_q2     <= {12'd0, norm_q1} * {24'd0, factor_i.sig[11:0]};
    high_q2    <= {12'd0, norm_q1} * {24'd0, factor_i.sig[23:12]};
    product_q3 <= {high_q2, 12'd0} + {12'd0, low_q2};
    exp_q2     <= exp_q1;
    exp_q3     <= exp_q2;
    sign_q2    <= sign_q1;
    sign_q3    <= sign_q2;
    spec_q2    <= spec_q1;
    spec_q3    <= spec_q2;
  end

  // ---------------------------------------------------------------- stage 4: align
  // Significand and round bit (25 bits), sticky bit. A subnormal result is shifted right, so that its
  // lsb is 2^-149.
  logic               two;      // the product is in [2, 4)
  logic [24:0]        lead, shifted;
  logic               rest, lost;
  logic signed [10:0] be, under;
  logic [4:0]         shift;
  logic [24:0]        sig_q4;
  logic               rest_q4, sub_q4, sign_q4;
  logic signed [10:0] be_q4;
  spec_e              spec_q4;
  assign two     = product_q3[47];
  assign lead    = two ? product_q3[47:23] : product_q3[46:22];
  assign rest    = (|product_q3[21:0]) | (two & product_q3[22]);
  assign be      = exp_q3 - 11'sd127 + $signed({10'd0, two});
  assign under   = 11'sd1 - be;
  assign shift   = under[10] ? 5'd0 : ((|under[9:5]) ? 5'd31 : under[4:0]);
  assign shifted = lead >> shift;
  assign lost    = |(lead & ~(25'h1FF_FFFF << shift));
  always_ff @(posedge clk_i) begin
    sig_q4  <= shifted;
    rest_q4 <= rest | lost;
    be_q4   <= be;
    sub_q4  <= ~under[10] & (|under);
    sign_q4 <= sign_q3;
    spec_q4 <= spec_q3;
  end

  // ---------------------------------------------------------------- stage 5: round
  logic        inc, overflow;
  logic [24:0] rounded;
  logic [7:0]  be_final;
  assign inc      = sig_q4[0] & (rest_q4 | sig_q4[1]);
  assign rounded  = {1'b0, sig_q4[24:1]} + {24'd0, inc};
  assign be_final = sub_q4 ? {7'd0, rounded[23]} : (rounded[24] ? be_q4[7:0] + 8'd1 : be_q4[7:0]);
  assign overflow = ~sub_q4 & ((be_q4 >= 11'sd255) | ((be_q4 == 11'sd254) & rounded[24]));
  always_ff @(posedge clk_i) begin
    if (spec_q4 == SpecNan) product_o <= 32'h7FC0_0000;
    else if ((spec_q4 == SpecInf) | ((spec_q4 == SpecNone) & overflow))
      product_o <= {sign_q4, 8'hFF, 23'd0};
    else if (spec_q4 == SpecZero) product_o <= 32'd0;
    else product_o <= {sign_q4, be_final, rounded[22:0]};
  end
endmodule
`default_nettype wire
